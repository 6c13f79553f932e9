package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream with credits: messages with a header of 8 octets go into receive buffers that the peer has posted, and each costs a credit. Credits come back
 * with whatever the peer sends, or alone when half of them would.
 *
 * <p>The last credit is kept for a message that gives credits back, so two ends that both have sent all they may still hear from each other. What says the end needs
 * none: there are {@link #SPARE_RECEIVES} buffers for it.
 *
 * <p>Bytes that cannot go yet wait in the message that is next, and those of several writes share it; but with {@link Options#messages} what a write begins with is a message
 * of the program, with which none other shares a message here, and whose last one says so. Nothing is allocated once it is made.
 */
public final class CreditEngine implements SocketEngine {
    /** Octets of a header. */
    public static final int HEADER = CreditMessage.HEADER;

    /** Octets of the longest message that is copied when it is posted. */
    public static final int LONGEST_CONTROL = HEADER + DirectMemory.BODY;

    /** Receive buffers beyond the credits: two ends and two answers to such. */
    static final int SPARE_RECEIVES = 4;

    /** And with data that are not copied: an offer, and what says that it is taken, or that bytes are written. */
    static final int DIRECT_RECEIVES = 3;

    /** Credits of an end. */
    public static final int LEAST_CREDITS = StreamRecord.LEAST_CREDITS;

    /** Credits of an end. */
    public static final int MOST_CREDITS = StreamRecord.MOST_CREDITS;

    /** Octets of a receive buffer. */
    public static final int LEAST_BUFFER = StreamRecord.LEAST_BUFFER;

    /** Bytes of a write that does not wait for further writes. */
    private static final int COMBINED = 1024;

    /** Messages other than data that may be under way: a grant, two ends, two answers; and one of each that is about data that are not copied. */
    private static final int MOST_CONTROLS = 12;

    /** Work requests. */
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
    /** Null: data are copied, as one of the ends wants it. */
    private @Nullable DirectData direct;

    private boolean connected;
    private boolean combining;
    /** Bytes have come of a message of the peer's program, and not its end. */
    private boolean open;

    private boolean inputOpen = true;

    /**
     * What an end makes of a stream with credits.
     *
     * @param direct it offers data that are not copied
     * @param messages it needs that a write is a message, whose end its reader sees
     * @param mostKept bytes of the peer's data that are not copied that this end keeps while it waits itself for its peer to read; 0: none, and it {@link DirectData#bothWriteAt tells} so;
     *     negative: it waits
     */
    public record Options(boolean direct, boolean messages, int mostKept) {
        /** {@return the options without which it takes no part, a bit each} */
        int needs() {
            return messages ? StreamRecord.MESSAGES : 0;
        }

        /** {@return the options that it offers} */
        int offers() {
            return direct ? StreamRecord.DIRECT : 0;
        }
    }

    /**
     * The memory of an end, and how many pieces of it may be in use.
     *
     * @param received the receive buffers, one behind the other: {@code credits} and {@link #SPARE_RECEIVES}, all of which are posted
     * @param credits {@link #LEAST_CREDITS} to {@link #MOST_CREDITS}
     * @param sent memory that data are sent from
     * @param slots work requests that may be posted: {@link #LEAST_SLOTS} or more
     */
    public record Memory(ByteBuffer received, int credits, ByteBuffer sent, int slots) {}

    /**
     * Begins one end; {@link #record} goes to the peer, and {@link #connected} makes it a stream.
     *
     * @param memory where data come to, and are sent from
     * @param wire posts what is to be sent
     * @param direct what data that are not copied need; null if they are not offered
     * @param options what it makes of the stream
     */
    public CreditEngine(Memory memory, CreditWire wire, @Nullable DirectWire direct, Options options) {
        int credits = memory.credits;
        buffer = memory.received.capacity() / receives(credits, direct != null);
        if (credits < LEAST_CREDITS
                || credits > MOST_CREDITS
                || buffer < LEAST_BUFFER
                || memory.sent.capacity() < UnsentMessages.LEAST * LEAST_BUFFER
                || memory.slots < LEAST_SLOTS) {
            throw new IllegalArgumentException("a stream with credits has " + LEAST_CREDITS + " to " + MOST_CREDITS
                    + " of them, buffers of " + LEAST_BUFFER + " bytes or more, memory for " + UnsentMessages.LEAST
                    + " such to send from, and " + LEAST_SLOTS + " slots, not " + credits + ", " + buffer + ", "
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
     * {@return receive buffers of an end}
     *
     * @param credits of it
     * @param direct whether it offers data that are not copied
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
        sender.grant(); // the end that accepts must hear something before it may send (RFC 5044 §7.1.2)
        sayDue();
    }

    @Override
    public void combine(boolean yes) {
        combining = yes;
        if (!yes) {
            flush();
        }
    }

    // ---- the program's calls

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
        return sender.borrowed() && !end.ended(); // what is posted still goes after a fault of the peer
    }

    /** {@return data that are not copied; null: one of the ends does not want such, or there is no connection yet} */
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

    /** As soon as there is a credit. */
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
     * As {@link #read}, of a program that may lend memory then: {@link DirectData#lendInput} or {@link DirectData#fetch} has to follow.
     *
     * @param into as for {@link #read}
     * @param most as for {@link #read}
     * @return as {@link #read}
     * @throws IOException as {@link #read}
     */
    public int readFirst(StreamSink into, int most) throws IOException {
        flush(); // a program that reads waits for an answer
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

    /** {@return whether what is to be read next was fetched, and is not in a message} */
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

    /** Frees what has come and will not be read. */
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
            sender.grantIfDue(); // the end waits for data that do, and the peer's may likewise
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

    /** Each end has answered what the other one said last: that is so at both at once. */
    @Override
    public boolean peerClosed() {
        return connected && end.inOrder();
    }

    // ---- what the queue pair tells

    /**
     * A receive is done. The buffer is not posted again before {@link CreditWire#free}.
     *
     * @param slot which buffer
     * @param length how many bytes came
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
            end.fail(PeerFault.GRANT_EXCEEDED, more + ", and " + most + " are not given back yet");
            return false;
        }
        credits.take(grant);
        return true;
    }

    /** {@return whether the peer has a credit for what has come} */
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

    /** {@return whether it may come now: not before what is offered, or written} */
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

    // ---- messages without data

    /** Says what can be said now: data, then the end of them; and answers. */
    private void sayDue() {
        if (!connected || finished()) {
            return;
        }
        sender.sendPending();
        while (end.takeAnswer()) {
            sender.say(CreditMessage.FIN_ACK, 0);
        }
        boolean closes = end.state() == CreditEnd.State.CLOSED_DUE;
        boolean heldBack = outputBusy(); // then the peer may be closed likewise, and wait for this
        boolean fetching =
                direct != null && direct.input.fetching(); // an RDMA Read that breaks off would end the connection
        boolean closedSaid = end.state() == CreditEnd.State.CLOSED_SAID;
        if (direct != null && (!closes || heldBack) && !closedSaid && !end.peerClosed()) {
            direct.input.sayTaken();
        }
        if (unsent.pending() == 0 && end.due() && !heldBack && !(closes && fetching)) {
            end.say();
            sender.say(CreditMessage.FIN, closes ? CreditMessage.CLOSED : 0);
        }
    }

    /** Both ends have said all, each has answered the other, and the answers are done. */
    private void finishIfSaid() {
        if (end.agreed() && sender.allDone()) {
            end.finish();
        }
    }
}
