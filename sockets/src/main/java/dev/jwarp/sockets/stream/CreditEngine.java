package dev.jwarp.sockets.stream;

import dev.jwarp.sockets.stream.DirectHost.Posted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream with credits: messages with a header of 8 octets go into receive buffers that the peer has posted, and each costs a credit. Credits come back
 * with whatever the peer sends, or alone when half of them would.
 *
 * <p>The last credit is kept for a message that gives credits back, so two ends that both have sent all they may still hear from each other. What says the end needs
 * none: there are {@link #SPARE_RECEIVES} buffers for it.
 *
 * <p>Bytes that cannot go yet wait in the message that is next, and those of several writes share it; but with {@link CreditOptions#messages} what a write begins with is a message
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

    /** Bytes that are offered at a time by an end that looks whether anything moves: it does not see how far its peer has read. */
    static final int MOST_OFFERED = 1 << 18;

    /** A write of so many bytes does not wait for others. */
    private static final int COMBINED = 1024;

    /** Messages other than data that may be under way: a grant, two ends, two answers; and one of each that is about data that are not copied. */
    private static final int MOST_CONTROLS = 12;

    /** Work requests. */
    public static final int LEAST_SLOTS = UnsentMessages.LEAST + MOST_CONTROLS;

    private final int buffer;
    private final ByteBuffer received;
    private final ByteBuffer sent;
    private final int slots;
    private final CreditWire wire;
    private final ByteBuffer header = ByteBuffer.allocate(LONGEST_CONTROL);

    private final @Nullable DirectWire directWire;
    private final CreditOptions options;
    private final Credits credits;
    private final CreditEnd end = new CreditEnd();
    /** Null: data are copied, as one of the ends wants it. */
    private @Nullable DirectBoth direct;

    private boolean connected;
    private boolean combining;

    // ---- to the peer
    private final UnsentMessages unsent;
    private final Posted[] underWay;
    private long posted;
    private long done;
    private boolean grantUnderWay;
    /** Messages under way whose bytes are the program's. */
    private int gathered;

    // ---- from the peer
    private final UnreadMessages unread;
    /** Bytes have come of a message of the peer's program, and not its end. */
    private boolean open;
    /** What the program has read last was the end of one. */
    private boolean readEnd = true;

    private boolean inputOpen = true;
    /** The connection ends, and how is not known yet. */
    private boolean broken;

    private boolean finished;
    private @Nullable StreamException failure;

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
    public CreditEngine(Memory memory, CreditWire wire, @Nullable DirectWire direct, CreditOptions options) {
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
        sent = memory.sent.duplicate().order(ByteOrder.BIG_ENDIAN);
        slots = memory.slots;
        this.wire = wire;
        directWire = direct;
        this.options = options;
        underWay = new Posted[slots];
        unsent = new UnsentMessages(this.sent, options.messages());
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
        DirectPlace word = directWire == null ? null : new DirectPlace(directWire.wordAddress(), directWire.wordKey());
        int own = credits.own();
        return new StreamRecord(StreamProtocol.CREDITS.code(), options.needs(), options.offers(), own, 0, buffer, word)
                .bytes();
    }

    /**
     * Looks at a peer's record before anything is made for it.
     *
     * @param privateData of the peer; not changed
     * @param own what this end makes of the stream
     * @throws StreamException if there is no stream to be had with it
     */
    public static void checkRecord(ByteBuffer privateData, CreditOptions own) throws StreamException {
        StreamRecord.read(privateData, own);
    }

    @Override
    public void connected(ByteBuffer privateData) throws StreamException {
        StreamRecord peer = StreamRecord.read(privateData, options);
        credits.begin(peer.credits());
        unsent.connected(peer.buffer(), slots - MOST_CONTROLS);
        if (directWire != null && peer.word() != null) {
            direct = new DirectBoth(new Host(), directWire, peer.word());
        }
        connected = true;
        grant(); // the end that accepts must hear something before it may send (RFC 5044 §7.1.2)
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
        return failure != null || (gathered == 0 && !outputBusy() && (!end.open() || unsent.room() > 0));
    }

    private boolean outputBusy() {
        return direct != null && direct.output.busy();
    }

    private void checkOutput() throws IOException {
        if (failure != null) {
            throw failure.again();
        }
        if (!end.open()) {
            throw end.peerClosed() || broken
                    ? SocketFault.BROKEN_PIPE.exception("the peer has closed the connection")
                    : new AsynchronousCloseException(); // the program shuts it down while a thread of it writes
        }
    }

    @Override
    public void begin(long length) {
        unsent.begin(length);
    }

    /** In whole messages. */
    @Override
    public int gather(ByteBuffer data) throws IOException {
        checkOutput();
        int before = data.position();
        int most = unsent.longest();
        int length = unsent.ofMessage(data.remaining());
        if (length >= most) {
            flush();
        }
        for (; length >= most && unsent.hasFree() && credits.left() >= 2; length -= most) {
            int at = startData(most, unsent.endsWith(most));
            gathered++;
            wire.gather(at, data.position(), most, id(Posted.GATHERED));
            data.position(data.position() + most);
        }
        return data.position() - before;
    }

    @Override
    public boolean borrowed() {
        return gathered > 0 && !finished; // what is posted still goes after a fault of the peer
    }

    /** {@return whether both ends have agreed that data need not be copied} */
    boolean direct() {
        return direct != null;
    }

    /**
     * {@return whether bytes can be moved from where they are, now} Else they have to be written.
     *
     * @throws IOException if no more can be sent
     */
    public boolean mayLendOutput() throws IOException {
        checkOutput();
        flush();
        return direct != null && !direct.output.busy() && unsent.pending() == 0;
    }

    /**
     * Begins to have bytes moved from where they are, of one message of the program. What is lent belongs to the stream, and nothing is written, until {@link #takeOutputBack} gives it back. Only if it
     * {@link #mayLendOutput}.
     *
     * @param address by which the peer can name the first byte
     * @param key by which it can read them
     * @param length how many
     */
    public void lendOutput(long address, int key, int length) {
        if (direct != null) {
            int whole = unsent.ofMessage(length);
            int bytes = options.mostKept() < 0 ? whole : Math.min(whole, MOST_OFFERED);
            direct.output.lend(address, key, bytes, unsent.wouldEndWith(bytes));
        }
    }

    /** {@return how many of the bytes were moved that are lent; 0: they have to be written; negative: they are not given back yet} */
    public int takeOutputBack() {
        if (direct == null) {
            return 0;
        }
        if (direct.output.busy() && !finished()) {
            return -1;
        }
        int moved = direct.output.takeBack();
        unsent.endsWith(moved);
        return moved;
    }

    @Override
    public int write(StreamSource from, int length) throws IOException {
        checkOutput();
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
        unsent.flush();
        sendPending();
    }

    private void sendPending() {
        if (!unsent.goes() || credits.left() < 2 || finished()) {
            return;
        }
        int length = unsent.pending();
        boolean last = unsent.pendingLast();
        unsent.clear();
        int at = startData(length, last);
        wire.send(at, HEADER + length, id(Posted.DATA));
    }

    /** {@return where the next message begins, whose header is there now} */
    private int startData(int length, boolean last) {
        int at = unsent.take();
        head(sent, at, CreditMessage.DATA, last ? CreditMessage.LAST : 0, length);
        credits.use();
        if (direct != null) {
            direct.output.sent(length);
        }
        return at;
    }

    @Override
    public boolean readable() {
        return failure != null
                || ((unread() > 0 || end.peerEnded() || !inputOpen) && (direct == null || !direct.input.busy()));
    }

    @Override
    public int unread() {
        return unread.bytes() + (direct == null ? 0 : direct.input.unread());
    }

    @Override
    public int read(StreamSink into, int most) throws IOException {
        int came = take(into, most);
        fetch();
        return came;
    }

    /**
     * As {@link #read}, of a program that may lend memory then: {@link #lendInput} or {@link #lendNothing} has to follow.
     *
     * @param into as for {@link #read}
     * @param most as for {@link #read}
     * @return as {@link #read}
     * @throws IOException as {@link #read}
     */
    public int readFirst(StreamSink into, int most) throws IOException {
        return take(into, most);
    }

    /**
     * {@return whether bytes can be moved to where the program wants them: nothing has come, or there is more on offer}
     *
     * @param came what {@link #readFirst} has given
     */
    public boolean mayLendInput(int came) {
        return direct != null
                && failure == null
                && (came == 0 || (came > 0 && !readEnd && unread() == 0 && direct.input.offered()));
    }

    /**
     * Begins to have bytes moved to where the program wants them. What is lent belongs to the stream until {@link #takeInputBack} gives it back; there is no {@link #read} until
     * then. Only if it {@link #mayLendInput}.
     *
     * @param address by which the peer can name the first byte
     * @param key by which it can write there
     * @param length how many, 1 or more
     */
    public void lendInput(long address, int key, int length) {
        if (direct != null) {
            boolean ask = credits.left() >= 2 && direct.mayAsk() && !end.peerEnded() && !finished();
            direct.input.lend(address, key, length, ask);
        }
    }

    /** The program has lent nothing. */
    public void lendNothing() {
        fetch();
    }

    /** {@return how many bytes have come to what is lent; negative: it is not given back yet} */
    public int takeInputBack() {
        if (direct == null) {
            return 0;
        }
        DirectInput lent = direct.input;
        int bytes = finished() ? lent.end() : lent.takeBack();
        readEnd = bytes > 0 ? lent.landedEnds() : readEnd;
        fetch();
        return bytes;
    }

    private void fetch() {
        if (direct != null && !finished()) {
            direct.fetch(unread.bytes(), options.mostKept());
        }
    }

    /**
     * {@return how far the stream was, what was sent, has come and was read in sum, when this end and its peer began to wait for each other to read what they write, and this one cannot keep it; negative: they do
     * not, or may}
     */
    public long bothWriteAt() {
        return direct == null || options.mostKept() < 0 ? -1 : direct.bothAt(unread.bytes());
    }

    private int take(StreamSink into, int most) throws IOException {
        flush(); // who reads waits for an answer
        if (unread() == 0) {
            if (failure != null && !(end.peerEnded() && failure.fault() == PeerFault.ENDED_EARLY)) {
                throw failure.again();
            }
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
        readEnd = read > 0 ? ends : readEnd;
        grantIfDue();
        return read;
    }

    @Override
    public boolean insideMessage() {
        return options.messages() && !readEnd;
    }

    /** {@return whether what is to be read next was fetched, and is not in a message} */
    private boolean keptIsNext() {
        return direct != null && direct.input.isNext(unread.bytes());
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
            grantIfDue();
        } else {
            close();
        }
    }

    /** What has come is not read any more. */
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
            end.move(CreditEnd.Event.NO_USE);
            finished = true;
        } else if (!end.saidAll() && end.move(CreditEnd.Event.CLOSE)) {
            flush();
            sayDue();
            grantIfDue(); // the end waits for data that do, and the peer's may likewise
        }
    }

    @Override
    public boolean allGone() {
        return unsent.allGone() && !outputBusy();
    }

    @Override
    public boolean finished() {
        return finished || failure != null;
    }

    @Override
    public boolean failed() {
        return failure != null;
    }

    /** Each end has answered what the other one said last: that is so at both at once. */
    @Override
    public boolean peerClosed() {
        return connected && finished && !broken && failure == null;
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
        if (length < HEADER || CreditMessage.length(received, at) != length - HEADER) {
            fail(
                    PeerFault.MESSAGE_LENGTH,
                    length + " bytes"
                            + (length < HEADER
                                    ? ", and a header has " + HEADER
                                    : ", and its header says " + HEADER + " and "
                                            + Integer.toUnsignedString(CreditMessage.length(received, at))));
            return;
        }
        int kind = CreditMessage.kind(received, at);
        int flags = CreditMessage.flags(received, at);
        boolean known = kind >= CreditMessage.DATA
                && kind <= (direct == null ? CreditMessage.FIN_ACK : CreditMessage.TAKEN)
                && (flags == 0 || flags == CreditMessage.flag(kind, options.messages()));
        if (!known) {
            fail(PeerFault.MESSAGE_UNKNOWN, "kind " + kind + ", flags 0x" + Integer.toHexString(flags));
        } else if (kind == CreditMessage.DATA ? length == HEADER : length != HEADER + CreditMessage.body(kind)) {
            fail(PeerFault.MESSAGE_LENGTH, length - HEADER + " bytes of data in kind " + kind);
        } else if (takeGrant(CreditMessage.grant(received, at))) {
            switch (kind) {
                case CreditMessage.DATA -> onData(slot, length - HEADER, flags == CreditMessage.LAST);
                case CreditMessage.GRANT -> onGrant(slot);
                case CreditMessage.FIN -> onFin(flags == CreditMessage.CLOSED);
                case CreditMessage.FIN_ACK -> onFinAck();
                default -> onDirect(kind, slot, at + HEADER, flags == CreditMessage.LAST);
            }
            fetch();
            sayDue();
            grantIfDue();
        }
    }

    private void onDirect(int kind, int slot, int at, boolean last) {
        boolean asks = kind == CreditMessage.ASK;
        if (direct == null || (asks && !costs())) {
            return;
        }
        boolean brings = kind == CreditMessage.OFFER || kind == CreditMessage.WRITTEN;
        if (kind == CreditMessage.OFFER && end.peerEnded()) {
            fail(PeerFault.DATA_AFTER_END, "an offer");
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
            fail(PeerFault.GRANT_EXCEEDED, more + ", and " + most + " are not given back yet");
            return false;
        }
        credits.take(grant);
        return true;
    }

    /** {@return whether the peer has a credit for what has come} */
    private boolean costs() {
        if (!credits.came()) {
            fail(PeerFault.CREDITS_EXCEEDED, "one more than its " + credits.own());
            return false;
        }
        return true;
    }

    private void onData(int slot, int length, boolean last) {
        if (end.peerEnded()) {
            fail(PeerFault.DATA_AFTER_END, length + " bytes");
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
        return failure == null;
    }

    private void onGrant(int slot) {
        if (costs()) {
            free(slot, false);
        }
    }

    private void onFin(boolean closed) {
        if (end.peerClosed() || (end.peerEnded() && !closed)) {
            fail(PeerFault.END_REPEATED, closed ? "a FIN with CLOSED" : "a FIN");
            return;
        }
        if (!end.peerEnded() && open && options.messages() && inputOpen) {
            fail(PeerFault.MESSAGE_CUT, unread() + " bytes are left to be read");
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
            fail(PeerFault.END_REPEATED, "a FIN-ACK");
        }
    }

    @Override
    public void onSent(long id) {
        for (; done <= id; done++) {
            Posted request = underWay[(int) (done % slots)];
            switch (request) {
                case DATA -> unsent.done();
                case GATHERED -> {
                    unsent.done();
                    gathered--;
                }
                case GRANT -> grantUnderWay = false;
                case OTHER -> {}
                case ASK, TAKEN, SWAP, PUT, FETCH -> {
                    if (direct != null && !finished()) {
                        direct.done(request);
                    }
                }
            }
        }
        fetch();
        sayDue();
        grantIfDue();
        finishIfSaid();
    }

    @Override
    public void onBroken() {
        if (!finished()) {
            broken = true;
            finished = true;
            end.move(CreditEnd.Event.NO_USE);
        }
    }

    @Override
    public void onEnded(boolean orderly) {
        if (broken || !finished()) {
            if (orderly && !(open && options.messages())) {
                end.peerGone();
            }
            fail(PeerFault.ENDED_EARLY, unread.bytes() + " bytes are left to be read");
        }
        broken = false;
        finished = true;
    }

    // ---- messages without data

    /** Says what can be said now: data, then the end of them; and answers. */
    private void sayDue() {
        if (!connected || finished()) {
            return;
        }
        sendPending();
        while (end.takeAnswer()) {
            control(CreditMessage.FIN_ACK, 0);
        }
        boolean closes = end.state() == CreditEnd.State.CLOSED_DUE;
        boolean heldBack = outputBusy(); // then the peer may be closed likewise, and wait for this
        boolean closedSaid = end.state() == CreditEnd.State.CLOSED_SAID;
        if (direct != null && (!closes || heldBack) && !closedSaid && !end.peerClosed()) {
            direct.input.sayTaken();
        }
        if (unsent.pending() == 0 && end.due() && !heldBack && !(closes && fetching())) {
            end.say();
            control(CreditMessage.FIN, closes ? CreditMessage.CLOSED : 0);
        }
    }

    /** Gives what was read again, when it is half of the credits; a message that goes anyhow gives it before. */
    private void grantIfDue() {
        boolean wanted = connected && !end.peerEnded() && end.state() != CreditEnd.State.CLOSED_SAID && !finished();
        if (wanted && credits.due() && credits.left() > 0 && !grantUnderWay) {
            grant();
        }
    }

    private void grant() {
        credits.use();
        grantUnderWay = true;
        control(CreditMessage.GRANT, 0);
    }

    /** An RDMA Read that breaks off would end the connection. */
    private boolean fetching() {
        return direct != null && direct.input.fetching();
    }

    private void control(int kind, int flags) {
        sayControl(kind, flags, 0);
    }

    private void sayControl(int kind, int flags, int body) {
        head(header, 0, kind, flags, body);
        Posted request =
                switch (kind) {
                    case CreditMessage.GRANT -> Posted.GRANT;
                    case CreditMessage.ASK -> Posted.ASK;
                    case CreditMessage.TAKEN -> Posted.TAKEN;
                    default -> Posted.OTHER;
                };
        wire.sendCopy(header.limit(HEADER + body), id(request));
    }

    /** What both directions of data that are not copied do to the stream. */
    private final class Host implements DirectHost {
        @Override
        public void say(int kind, DirectMemory memory, boolean last) {
            if (kind == CreditMessage.ASK) {
                credits.use();
                Objects.requireNonNull(direct).asked();
            }
            memory.write(header.clear(), HEADER);
            sayControl(kind, last ? CreditMessage.LAST : 0, DirectMemory.BODY);
        }

        @Override
        public void say(int kind, long word, int length, boolean last) {
            header.clear().putLong(HEADER, word).putInt(HEADER + Long.BYTES, length);
            sayControl(kind, last ? CreditMessage.LAST : 0, CreditMessage.MOVED_BODY);
        }

        @Override
        public long id(Posted kind) {
            return CreditEngine.this.id(kind);
        }

        @Override
        public void fail(PeerFault fault, String detail) {
            CreditEngine.this.fail(fault, detail);
        }
    }

    private void head(ByteBuffer to, int at, int kind, int flags, int length) {
        CreditMessage.head(to, at, kind, flags, credits.tell(), length);
    }

    private long id(Posted kind) {
        underWay[(int) (posted % slots)] = kind;
        return posted++;
    }

    /** Both ends have said all, each has answered the other, and the answers are done. */
    private void finishIfSaid() {
        finished |= end.agreed() && done == posted;
    }

    private void fail(PeerFault fault, String detail) {
        failure = new StreamException(fault, detail);
        end.move(CreditEnd.Event.NO_USE);
    }
}
