package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One end of a credit stream: messages with a header of 8 octets go to receive buffers that the peer has posted, and
 * each costs a credit. Every message of the peer returns credits; a message of its own returns them when half of them
 * are free.
 *
 * <p>The last credit is reserved for a message that returns credits, so that two ends that have used all other credits
 * can still return credits to each other. A FIN and its acknowledgement need no credit: {@link #SPARE_RECEIVES} buffers
 * are reserved for them.
 *
 * <p>Bytes that cannot be sent yet wait in the next message, which bytes of several writes can share. With {@link
 * Options#messages} each message of the program begins a new message of the protocol, and the last message of the
 * protocol for it has a flag. The engine allocates nothing after its construction.
 */
public final class CreditEngine implements SocketEngine {
    /** Octets of a header. */
    public static final int HEADER = CreditMessage.HEADER;

    /** Octets of the longest message that is posted as inline data. */
    public static final int LONGEST_CONTROL = HEADER + DirectMemory.BODY;

    /** Receive buffers beyond the credits: for two FINs and two acknowledgements. */
    static final int SPARE_RECEIVES = 4;

    /** Further receive buffers with zero-copy data: for OFFER, TAKEN and WRITTEN. */
    static final int DIRECT_RECEIVES = 3;

    /** Minimum of credits of an end. */
    public static final int LEAST_CREDITS = StreamRecord.LEAST_CREDITS;

    /** Maximum of credits of an end. */
    public static final int MOST_CREDITS = StreamRecord.MOST_CREDITS;

    /** Minimum of octets of a receive buffer. */
    public static final int LEAST_BUFFER = StreamRecord.LEAST_BUFFER;

    /** A write of at least so many bytes does not wait for further writes. */
    private static final int COMBINED = 1024;

    /**
     * Maximum of outstanding requests other than data: a GRANT, two FINs, two acknowledgements, and those of zero-copy
     * data.
     */
    private static final int MOST_CONTROLS = 12;

    /** Minimum of work requests that may be posted. */
    public static final int LEAST_SLOTS = UnsentMessages.LEAST + MOST_CONTROLS;

    private final int buffer;
    private final ByteBuffer received;
    private final int slots;
    private final CreditWire wire;
    private final @Nullable DirectWire directWire;
    private final Options options;
    private final Credits credits;
    private final CreditEnd end = new CreditEnd();
    private final UnsentMessages unsent;
    private final CreditSender sender;
    private final UnreadMessages unread;
    /** Null if the ends have not agreed on zero-copy data. */
    private @Nullable DirectData direct;

    private boolean connected;
    private boolean combining;
    /** Whether a message of the peer's program has begun and not ended. */
    private boolean open;

    private boolean inputOpen = true;

    /**
     * The options of one end of a credit stream.
     *
     * @param direct whether it offers zero-copy data
     * @param messages whether it needs each write to be a message whose end the reader sees
     * @param mostKept maximum of bytes of the peer's zero-copy data that this end buffers while it waits itself for its
     *     peer to read; 0: it buffers none, and reports this by {@link DirectData#bothWriteAt}; negative: it waits
     */
    public record Options(boolean direct, boolean messages, int mostKept) {
        /** {@return the required options, a bit each} */
        int needs() {
            return messages ? StreamRecord.MESSAGES : 0;
        }

        /** {@return the offered options, a bit each} */
        int offers() {
            return direct ? StreamRecord.DIRECT : 0;
        }
    }

    /**
     * The memory and the limits of an end.
     *
     * @param received the receive buffers, contiguous: as many as {@link CreditEngine#receives}, all of them posted
     * @param credits {@link #LEAST_CREDITS} to {@link #MOST_CREDITS}
     * @param sent send memory
     * @param slots maximum of posted work requests: {@link #LEAST_SLOTS} or more
     */
    public record Memory(ByteBuffer received, int credits, ByteBuffer sent, int slots) {}

    /**
     * Makes one end. {@link #record} is sent to the peer; {@link #connected} starts the stream.
     *
     * @param memory receive and send memory
     * @param wire posts requests
     * @param direct posts requests of zero-copy data; null if this end does not offer them
     * @param options of this end
     */
    public CreditEngine(Memory memory, CreditWire wire, @Nullable DirectWire direct, Options options) {
        int credits = memory.credits;
        buffer = memory.received.capacity() / receives(credits, direct != null);
        if (credits < LEAST_CREDITS
                || credits > MOST_CREDITS
                || buffer < LEAST_BUFFER
                || memory.sent.capacity() < UnsentMessages.LEAST * LEAST_BUFFER
                || memory.slots < LEAST_SLOTS) {
            throw new IllegalArgumentException("a credit stream has " + LEAST_CREDITS + " to " + MOST_CREDITS
                    + " credits, buffers of " + LEAST_BUFFER + " bytes or more, memory for " + UnsentMessages.LEAST
                    + " buffers to send from, and " + LEAST_SLOTS + " slots, not " + credits + ", " + buffer + ", "
                    + memory.sent.capacity() + " bytes and " + memory.slots);
        }
        this.credits = new Credits(credits);
        received = memory.received.duplicate().order(ByteOrder.BIG_ENDIAN);
        slots = memory.slots;
        this.wire = wire;
        directWire = direct;
        this.options = options;
        unsent = new UnsentMessages(memory.sent, options.messages());
        sender = new CreditSender(wire, memory.sent, slots, this.credits, unsent, end);
        unread = new UnreadMessages(this.received, buffer, credits);
    }

    /**
     * {@return the number of receive buffers of an end}
     *
     * @param credits of the end
     * @param direct whether the end offers zero-copy data
     */
    public static int receives(int credits, boolean direct) {
        return credits + SPARE_RECEIVES + (direct ? DIRECT_RECEIVES : 0);
    }

    @Override
    public byte[] record() {
        DirectWord.Place word =
                directWire == null ? null : new DirectWord.Place(directWire.wordAddress(), directWire.wordKey());
        int own = credits.own();
        return new StreamRecord(StreamProtocol.CREDITS.code(), options.needs(), options.offers(), own, 0, buffer, word)
                .bytes();
    }

    @Override
    public void connected(ByteBuffer privateData) throws StreamException {
        StreamRecord peer = StreamRecord.read(privateData, options);
        credits.begin(peer.credits());
        unsent.connected(peer.buffer(), slots - MOST_CONTROLS);
        if (directWire != null && peer.word() != null) {
            DirectOutput output = new DirectOutput(sender, directWire, peer.word());
            direct = new DirectData(sender, unsent, unread, options, output, new DirectInput(sender, directWire));
        }
        connected = true;
        sender.grant(); // the accepting end must receive a message before it may send (RFC 5044 §7.1.2)
        sayDue();
    }

    @Override
    public void combine(boolean yes) {
        combining = yes;
        if (!yes) {
            flush();
        }
    }

    // ---- calls of the program

    @Override
    public boolean writable() {
        return end.failed() || (!sender.borrowed() && !outputBusy() && (!end.open() || unsent.room() > 0));
    }

    private boolean outputBusy() {
        return direct != null && direct.output.busy();
    }

    @Override
    public void begin(long length) {
        unsent.begin(length);
    }

    @Override
    public int gather(ByteBuffer data) throws IOException {
        end.checkOutput();
        return sender.gather(data);
    }

    @Override
    public boolean borrowed() {
        return sender.borrowed() && !end.ended(); // posted requests still complete after a fault of the peer
    }

    /** {@return the zero-copy data; null if the ends have not agreed on them, or there is no connection yet} */
    public @Nullable DirectData direct() {
        return direct;
    }

    @Override
    public int write(StreamSource from, int length) throws IOException {
        end.checkOutput();
        if (outputBusy()) {
            return 0;
        }
        int most = unsent.ofMessage(length);
        int taken = 0;
        int room = unsent.room();
        while (taken < most && room > 0) {
            int some = Math.min(most - taken, room);
            unsent.fill(from, some);
            taken += some;
            if (some == room || unsent.pendingLast()) {
                flush();
            }
            room = unsent.room();
        }
        if (!combining || taken >= COMBINED) {
            flush();
        }
        return taken;
    }

    @Override
    public boolean waits() {
        return unsent.pending() > 0 && !unsent.goes();
    }

    /** Sends waiting bytes as soon as there is a credit. */
    @Override
    public void flush() {
        sender.flush();
    }

    @Override
    public boolean readable() {
        return end.failed()
                || ((unread() > 0 || end.peerEnded() || !inputOpen) && (direct == null || !direct.input.busy()));
    }

    @Override
    public int unread() {
        return unread.bytes() + (direct == null ? 0 : direct.input.unread());
    }

    @Override
    public int read(StreamSink into, int most) throws IOException {
        int came = readFirst(into, most);
        fetch();
        return came;
    }

    /**
     * As {@link #read}, if the program may lend memory afterwards: {@link DirectData#lendInput} or {@link
     * DirectData#fetch} must follow.
     *
     * @param into as for {@link #read}
     * @param most as for {@link #read}
     * @return as {@link #read}
     * @throws IOException as {@link #read}
     */
    public int readFirst(StreamSink into, int most) throws IOException {
        flush(); // a program that reads probably waits for an answer
        if (unread() == 0) {
            end.checkInput();
            return end.peerEnded() || !inputOpen ? -1 : 0;
        }
        int read = 0;
        boolean ends = false;
        while (read < most && !ends && (unread.bytes() > 0 || keptIsNext())) {
            if (direct != null && keptIsNext()) {
                read += direct.input.read(into, most - read);
                ends = direct.input.readEnds();
                continue;
            }
            read += unread.take(into, most - read);
            if (unread.firstTaken()) {
                ends = unread.endsMessage();
                free(unread.remove(), true);
            }
        }
        if (read > 0) {
            unread.read(ends);
        }
        sender.grantIfDue();
        return read;
    }

    @Override
    public boolean insideMessage() {
        return options.messages() && !unread.readEnd();
    }

    /** {@return whether the next bytes to be read were fetched by an RDMA Read, and did not come in a message} */
    private boolean keptIsNext() {
        return direct != null && direct.input.isNext(unread.bytes());
    }

    private void fetch() {
        if (direct != null) {
            direct.fetch();
        }
    }

    private void free(int slot, boolean ofData) {
        credits.free(ofData);
        wire.free(slot);
    }

    @Override
    public void shutdownOutput() {
        if (end.move(CreditEnd.Event.SHUT_DOWN)) {
            flush();
            sayDue();
        }
    }

    @Override
    public void shutdownInput() {
        inputOpen = false;
        forget();
        if (end.open()) {
            sayDue();
            sender.grantIfDue();
        } else {
            close();
        }
    }

    /** Frees received data that will not be read. */
    private void forget() {
        if (direct != null) {
            direct.input.shut();
        }
        while (!unread.isEmpty()) {
            free(unread.remove(), true);
        }
    }

    @Override
    public void close() {
        inputOpen = false;
        forget();
        if (!connected) {
            end.finishUnconnected();
        } else if (!end.saidAll() && end.move(CreditEnd.Event.CLOSE)) {
            flush();
            sayDue();
            sender.grantIfDue(); // the FIN waits for data that need credits, and the FIN of the peer may, too
        }
    }

    @Override
    public boolean allGone() {
        return unsent.allGone() && !outputBusy();
    }

    @Override
    public boolean finished() {
        return end.finished();
    }

    @Override
    public boolean failed() {
        return end.failed();
    }

    /** {@return whether both ends have agreed on the end} This is true at both ends at the same time. */
    @Override
    public boolean peerClosed() {
        return connected && end.inOrder();
    }

    // ---- events of the queue pair

    /**
     * Processes a completed receive. The buffer is not posted again before {@link CreditWire#free}.
     *
     * @param slot index of the buffer
     * @param length received bytes
     */
    public void onReceived(int slot, int length) {
        if (finished()) {
            return;
        }
        int at = slot * buffer;
        StreamException fault = CreditMessage.fault(received, at, length, direct != null, options.messages());
        if (fault != null) {
            end.fail(fault);
        } else if (takeGrant(CreditMessage.grant(received, at))) {
            int kind = CreditMessage.kind(received, at);
            int flags = CreditMessage.flags(received, at);
            switch (kind) {
                case CreditMessage.DATA -> onData(slot, length - HEADER, flags == CreditMessage.LAST);
                case CreditMessage.GRANT -> onGrant(slot);
                case CreditMessage.FIN -> onFin(flags == CreditMessage.CLOSED);
                case CreditMessage.FIN_ACK -> onFinAck();
                default -> onDirect(kind, slot, at + HEADER, flags == CreditMessage.LAST);
            }
            fetch();
            sayDue();
            sender.grantIfDue();
        }
    }

    private void onDirect(int kind, int slot, int at, boolean last) {
        boolean asks = kind == CreditMessage.ASK;
        if (direct == null || (asks && !costs())) {
            return;
        }
        boolean brings = kind == CreditMessage.OFFER || kind == CreditMessage.WRITTEN;
        if (kind == CreditMessage.OFFER && end.peerEnded()) {
            end.fail(PeerFault.DATA_AFTER_END, "an offer");
        } else {
            direct.on(kind, received, at, last);
            open = brings ? !last : open;
        }
        if (asks) {
            free(slot, true);
        } else {
            wire.free(slot);
        }
    }

    private boolean takeGrant(int grant) {
        int more = credits.more(grant);
        int most = credits.notGiven();
        if (more > most) {
            end.fail(PeerFault.GRANT_EXCEEDED, more + ", and " + most + " are outstanding");
            return false;
        }
        credits.take(grant);
        return true;
    }

    /** {@return whether the peer had a credit for the message} */
    private boolean costs() {
        if (!credits.came()) {
            end.fail(PeerFault.CREDITS_EXCEEDED, "one more than its " + credits.own());
            return false;
        }
        return true;
    }

    private void onData(int slot, int length, boolean last) {
        if (end.peerEnded()) {
            end.fail(PeerFault.DATA_AFTER_END, length + " bytes");
        } else if (costs() && messageCame(length)) {
            open = !last;
            if (inputOpen) {
                unread.add(slot, length, last);
            } else {
                free(slot, true);
            }
        }
    }

    /** {@return whether a message may arrive now: not before bytes that are offered or written} */
    private boolean messageCame(int length) {
        if (direct != null) {
            direct.input.onMessage(length);
        }
        return !end.failed();
    }

    private void onGrant(int slot) {
        if (costs()) {
            free(slot, false);
        }
    }

    private void onFin(boolean closed) {
        if (end.peerClosed() || (end.peerEnded() && !closed)) {
            end.fail(PeerFault.END_REPEATED, closed ? "a FIN with CLOSED" : "a FIN");
            return;
        }
        if (!end.peerEnded() && open && options.messages() && inputOpen) {
            end.fail(PeerFault.MESSAGE_CUT, unread() + " bytes are left to be read");
            return;
        }
        if (!end.peerEnded() && !messageCame(0)) {
            return;
        }
        end.peerSays(closed);
        if (closed) {
            if (direct != null) {
                direct.output.onPeerClosed();
            }
            unsent.clear();
        }
    }

    private void onFinAck() {
        if (end.answered()) {
            finishIfSaid();
        } else {
            end.fail(PeerFault.END_REPEATED, "a FIN-ACK");
        }
    }

    @Override
    public void onSent(long id) {
        for (CreditSender.Request request = sender.done(id); request != null; request = sender.done(id)) {
            if (direct != null && !finished()) {
                direct.done(request);
            }
        }
        fetch();
        sayDue();
        sender.grantIfDue();
        finishIfSaid();
    }

    @Override
    public void onBroken() {
        end.breakOff();
    }

    @Override
    public void onEnded(boolean orderly) {
        end.over(orderly && !(open && options.messages()), unread.bytes());
    }

    // ---- control messages

    /** Sends everything that can be sent now: data, then a FIN; and acknowledgements. */
    private void sayDue() {
        if (!connected || finished()) {
            return;
        }
        sender.sendPending();
        while (end.takeAnswer()) {
            sender.say(CreditMessage.FIN_ACK, 0);
        }
        boolean closes = end.state() == CreditEnd.State.CLOSED_DUE;
        boolean heldBack = outputBusy(); // then the peer may be closing, too, and wait for TAKEN
        boolean fetching =
                direct != null && direct.input.fetching(); // an RDMA Read that fails would end the connection
        boolean closedSaid = end.state() == CreditEnd.State.CLOSED_SAID;
        if (direct != null && (!closes || heldBack) && !closedSaid && !end.peerClosed()) {
            direct.input.sayTaken();
        }
        if (unsent.pending() == 0 && end.due() && !heldBack && !(closes && fetching)) {
            end.say();
            sender.say(CreditMessage.FIN, closes ? CreditMessage.CLOSED : 0);
        }
    }

    /** Finishes the stream if both ends have sent their FINs, all are acknowledged, and no request is outstanding. */
    private void finishIfSaid() {
        if (end.agreed() && sender.allDone()) {
            end.finish();
        }
    }
}
