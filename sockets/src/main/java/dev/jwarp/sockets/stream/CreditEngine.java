package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
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
    public static final int HEADER = 8;

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

    private static final int DATA = 1;
    private static final int GRANT = 2;
    private static final int FIN = 3;
    private static final int FIN_ACK = 4;
    /** The receiver has memory to be written to. */
    static final int ASK = 5;
    /** The sender has memory to be read from. */
    static final int OFFER = 6;
    /** All that was asked for, or a part of it, is written. */
    static final int WRITTEN = 7;
    /** All that was offered is read. */
    static final int TAKEN = 8;

    /** What is under way is DATA that are not copied. */
    private static final int GATHERED = 9;
    /** A compare-and-swap of the peer's word. */
    static final int SWAP = 10;
    /** An RDMA Write. */
    static final int PUT = 11;
    /** An RDMA Read. */
    static final int FETCH = 12;

    /** Octets of the body of WRITTEN and TAKEN. */
    private static final int MOVED_BODY = 12;

    /** Of a FIN: its sender reads no more, either. */
    private static final int CLOSED = 1;
    /** Of bytes, with {@link CreditOptions#messages}: a message of the program ends with them. */
    private static final int LAST = 2;

    private static final int FLAGS_OFFSET = 1;
    private static final int GRANT_OFFSET = 2;
    private static final int LENGTH_OFFSET = 4;

    private static final int SEQUENCE = 0xFFFF;
    /** Messages other than data that may be under way: a grant, two ends, two answers; and one of each that is about data that are not copied. */
    private static final int MOST_CONTROLS = 12;

    private static final int LEAST_MESSAGES = 4;

    /** Work requests. */
    public static final int LEAST_SLOTS = LEAST_MESSAGES + MOST_CONTROLS;

    private final int credits;
    private final int buffer;
    private final ByteBuffer received;
    private final ByteBuffer sent;
    private final int slots;
    private final CreditWire wire;
    private final ByteBuffer header = ByteBuffer.allocate(LONGEST_CONTROL);

    private final @Nullable DirectWire direct;
    private final CreditOptions options;
    /** Null: data are copied, as one of the ends wants it. */
    private @Nullable DirectOutput output;

    private @Nullable DirectInput input;
    private boolean askUnderWay;

    private boolean connected;
    private boolean combining;

    // ---- to the peer
    private int peerCredits;
    /** Messages that cost a credit, and how many of those the peer has given back; modulo 65,536. */
    private int used;

    private int given;
    /** Octets of a message with its header, and how many there is memory for. */
    private int messageSize;

    private int messages;
    private int next;
    private int freeMessages;
    /** Bytes in the next message. */
    private int pending;

    private boolean pendingGoes;
    /** A message of the program ends with them. */
    private boolean pendingLast;

    /** Bytes of the program's message that are not consumed yet. */
    private long rest;
    /** Part of the message was consumed. */
    private boolean begun;
    /** What {@link #begin} has said of the one that is next; 0: it is what the write has. */
    private long toldRest;

    private final int[] underWay;
    private long posted;
    private long done;
    private boolean grantUnderWay;
    /** Messages under way whose bytes are the program's. */
    private int gathered;

    private boolean outputOpen = true;
    private boolean finDue;
    private boolean closedDue;
    private boolean finSaid;
    private boolean closedSaid;
    /** Ends that were said, and not answered. */
    private int unanswered;

    // ---- from the peer
    /** Messages that cost a credit; modulo 65,536, as what follows. */
    private int came;

    private int freed;
    private int told;
    /** Of what is freed and not told: data, and what asks for such. */
    private int freedData;

    private final int[] unreadSlots;
    private final int[] unreadLengths;
    private final boolean[] unreadLast;
    private int firstUnread;
    private int unreadMessages;
    /** Bytes of the first of them that were read. */
    private int readAt;

    private int unread;
    /** Bytes have come of a message of the peer's program, and not its end. */
    private boolean open;
    /** What the program has read last was the end of one. */
    private boolean readEnd = true;

    private boolean inputOpen = true;
    /** The peer has said that it sends no more; that it is closed. */
    private boolean ended;
    /** The connection ends, and how is not known yet. */
    private boolean broken;

    private boolean peerClosed;
    private int answersDue;

    private boolean finished;
    private @Nullable StreamException failure;

    /**
     * Begins one end; {@link #record} goes to the peer, and {@link #connected} makes it a stream.
     *
     * @param received the receive buffers, one behind the other: {@code credits} and {@link #SPARE_RECEIVES}, all of which are posted
     * @param credits {@link #LEAST_CREDITS} to {@link #MOST_CREDITS}
     * @param sent memory that data are sent from
     * @param slots work requests that may be posted: {@link #LEAST_SLOTS} or more
     * @param wire posts what is to be sent
     * @param direct what data that are not copied need; null if they are not offered
     * @param options what it makes of the stream
     */
    public CreditEngine(
            ByteBuffer received,
            int credits,
            ByteBuffer sent,
            int slots,
            CreditWire wire,
            @Nullable DirectWire direct,
            CreditOptions options) {
        buffer = received.capacity() / receives(credits, direct != null);
        if (credits < LEAST_CREDITS
                || credits > MOST_CREDITS
                || buffer < LEAST_BUFFER
                || sent.capacity() < LEAST_MESSAGES * LEAST_BUFFER
                || slots < LEAST_SLOTS) {
            throw new IllegalArgumentException("a stream with credits has " + LEAST_CREDITS + " to " + MOST_CREDITS
                    + " of them, buffers of " + LEAST_BUFFER + " bytes or more, memory for " + LEAST_MESSAGES
                    + " such to send from, and " + LEAST_SLOTS + " slots, not " + credits + ", " + buffer + ", "
                    + sent.capacity() + " bytes and " + slots);
        }
        this.credits = credits;
        this.received = received.duplicate().order(ByteOrder.BIG_ENDIAN);
        this.sent = sent.duplicate().order(ByteOrder.BIG_ENDIAN);
        this.slots = slots;
        this.wire = wire;
        this.direct = direct;
        this.options = options;
        underWay = new int[slots];
        unreadSlots = new int[credits];
        unreadLengths = new int[credits];
        unreadLast = new boolean[credits];
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
        DirectPlace word = direct == null ? null : new DirectPlace(direct.wordAddress(), direct.wordKey());
        return new StreamRecord(
                        StreamProtocol.CREDITS.code(), options.needs(), options.offers(), credits, 0, buffer, word)
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
        peerCredits = peer.credits(); // all are used: the peer gives them back when half of them were
        messageSize = Math.min(peer.buffer(), sent.capacity() / LEAST_MESSAGES);
        messages = Math.min(sent.capacity() / messageSize, slots - MOST_CONTROLS);
        freeMessages = messages;
        if (direct != null && peer.word() != null) {
            DirectHost host = new Host();
            output = new DirectOutput(host, direct, peer.word());
            input = new DirectInput(host, direct);
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
        return failure != null || (gathered == 0 && !outputBusy() && (!outputOpen || room() > 0));
    }

    private boolean outputBusy() {
        return output != null && output.busy();
    }

    private int room() {
        return freeMessages == 0 || pendingLast ? 0 : messageSize - HEADER - pending;
    }

    private int creditsLeft() {
        return peerCredits - (used - given & SEQUENCE);
    }

    private void checkOutput() throws IOException {
        if (failure != null) {
            throw failure.again();
        }
        if (!outputOpen) {
            throw peerClosed || broken
                    ? SocketFault.BROKEN_PIPE.exception("the peer has closed the connection")
                    : new AsynchronousCloseException(); // the program shuts it down while a thread of it writes
        }
    }

    @Override
    public void begin(long length) {
        toldRest = begun ? Math.max(length - rest, 0) : length; // what goes on with a message is not of the next one
    }

    /** {@return how many of {@code length} bytes belong to the program's message that is to be taken} */
    private int ofMessage(int length) {
        if (!options.messages()) {
            return length;
        }
        if (!begun) {
            rest = Math.max(toldRest, length);
        }
        return (int) Math.min(length, rest);
    }

    /** {@return whether the program's message ends with so many bytes more, which are taken} */
    private boolean endsWith(int bytes) {
        if (options.messages() && bytes > 0) {
            rest -= bytes;
            begun = rest > 0;
            return !begun;
        }
        return false;
    }

    /** In whole messages. */
    @Override
    public int gather(ByteBuffer data) throws IOException {
        checkOutput();
        int before = data.position();
        int most = messageSize - HEADER;
        int length = ofMessage(data.remaining());
        if (length >= most) {
            flush();
        }
        for (; length >= most && freeMessages > 0 && creditsLeft() >= 2; length -= most) {
            int at = startData(most, endsWith(most));
            gathered++;
            wire.gather(at, data.position(), most, id(GATHERED));
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
        return output != null;
    }

    /**
     * {@return whether bytes can be moved from where they are, now} Else they have to be written.
     *
     * @throws IOException if no more can be sent
     */
    public boolean mayLendOutput() throws IOException {
        checkOutput();
        flush();
        return output != null && !output.busy() && pending == 0;
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
        if (output != null) {
            int whole = ofMessage(length);
            int bytes = options.mostKept() < 0 ? whole : Math.min(whole, MOST_OFFERED);
            output.lend(address, key, bytes, options.messages() && bytes == rest);
        }
    }

    /** {@return how many of the bytes were moved that are lent; 0: they have to be written; negative: they are not given back yet} */
    public int takeOutputBack() {
        DirectOutput lent = output;
        if (lent == null || (lent.busy() && !finished())) {
            return lent == null ? 0 : -1;
        }
        int moved = lent.takeBack();
        endsWith(moved);
        return moved;
    }

    @Override
    public int write(StreamSource from, int length) throws IOException {
        checkOutput();
        if (outputBusy()) {
            return 0;
        }
        int most = ofMessage(length);
        int taken = 0;
        int room = room();
        while (taken < most && room > 0) {
            int some = Math.min(most - taken, room);
            from.give(sent, next * messageSize + HEADER + pending, some);
            taken += some;
            pending += some;
            pendingLast = endsWith(some);
            if (some == room || pendingLast) {
                flush();
            }
            room = room();
        }
        if (!combining || taken >= COMBINED) {
            flush();
        }
        return taken;
    }

    @Override
    public boolean waits() {
        return pending > 0 && !pendingGoes;
    }

    /** As soon as there is a credit. */
    @Override
    public void flush() {
        pendingGoes = pending > 0;
        sendPending();
    }

    private void sendPending() {
        if (!pendingGoes || creditsLeft() < 2 || finished()) {
            return;
        }
        int length = pending;
        boolean last = pendingLast;
        pending = 0;
        pendingGoes = false;
        pendingLast = false;
        int at = startData(length, last);
        wire.send(at, HEADER + length, id(DATA));
    }

    /** {@return where the next message begins, whose header is there now} */
    private int startData(int length, boolean last) {
        int at = next * messageSize;
        head(sent, at, DATA, last ? LAST : 0, length);
        used = used + 1 & SEQUENCE;
        if (output != null) {
            output.sent(length);
        }
        freeMessages--;
        next = (next + 1) % messages;
        return at;
    }

    @Override
    public boolean readable() {
        return failure != null || ((unread() > 0 || ended || !inputOpen) && (input == null || !input.busy()));
    }

    @Override
    public int unread() {
        return unread + (input == null ? 0 : input.unread());
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
        return input != null
                && failure == null
                && (came == 0 || (came > 0 && !readEnd && unread() == 0 && input.offered()));
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
        if (input != null) {
            input.lend(address, key, length, creditsLeft() >= 2 && !askUnderWay && !ended && !finished());
        }
    }

    /** The program has lent nothing. */
    public void lendNothing() {
        fetch();
    }

    /** {@return how many bytes have come to what is lent; negative: it is not given back yet} */
    public int takeInputBack() {
        DirectInput lent = input;
        if (lent == null) {
            return 0;
        }
        int bytes = finished() ? lent.end() : lent.takeBack();
        readEnd = bytes > 0 ? lent.landedEnds() : readEnd;
        fetch();
        return bytes;
    }

    /** What is on offer is read to where the program wants it, or else fetched. */
    private void fetch() {
        DirectInput in = input;
        if (in == null || finished()) {
            return;
        }
        if (unread == 0) {
            in.fetch(true);
            in.fetch(false);
        }
        if (bothAt() >= 0) {
            in.keep(options.mostKept(), unread);
        }
    }

    /**
     * {@return how far the stream was, what was sent, has come and was read in sum, when this end and its peer began to wait for each other to read what they write, and this one cannot keep it; negative: they do
     * not, or may}
     */
    public long bothWriteAt() {
        return options.mostKept() < 0 ? -1 : bothAt();
    }

    private long bothAt() {
        DirectInput in = input;
        DirectOutput out = output;
        if (in == null || out == null || !out.offered() || !in.waitsForReader(unread)) {
            return -1;
        }
        return out.position() + in.position() + (in.position() - unread());
    }

    private int take(StreamSink into, int most) throws IOException {
        flush(); // who reads waits for an answer
        if (unread() == 0) {
            if (failure != null && !(ended && failure.fault() == PeerFault.ENDED_EARLY)) {
                throw failure.again();
            }
            return ended || !inputOpen ? -1 : 0;
        }
        int read = 0;
        boolean end = false;
        while (read < most && !end && (unread > 0 || keptIsNext())) {
            if (input != null && keptIsNext()) {
                read += input.read(into, most - read);
                end = input.readEnds();
                continue;
            }
            int slot = unreadSlots[firstUnread];
            int length = Math.min(most - read, unreadLengths[firstUnread] - readAt);
            into.take(received, slot * buffer + HEADER + readAt, length);
            read += length;
            readAt += length;
            unread -= length;
            if (readAt == unreadLengths[firstUnread]) {
                end = unreadLast[firstUnread];
                readAt = 0;
                firstUnread = (firstUnread + 1) % credits;
                unreadMessages--;
                freeData(slot);
            }
        }
        readEnd = read > 0 ? end : readEnd;
        grantIfDue();
        return read;
    }

    @Override
    public boolean insideMessage() {
        return options.messages() && !readEnd;
    }

    /** {@return whether what is to be read next was fetched, and is not in a message} */
    private boolean keptIsNext() {
        return input != null && input.isNext(unread);
    }

    private void freeData(int slot) {
        freedData++;
        free(slot);
    }

    private void free(int slot) {
        freed = freed + 1 & SEQUENCE;
        wire.free(slot);
    }

    @Override
    public void shutdownOutput() {
        if (outputOpen) {
            outputOpen = false;
            finDue = true;
            flush();
            sayDue();
        }
    }

    @Override
    public void shutdownInput() {
        inputOpen = false;
        forget();
        if (outputOpen) {
            sayDue();
            grantIfDue();
        } else {
            close();
        }
    }

    /** What has come is not read any more. */
    private void forget() {
        unread = 0;
        readAt = 0;
        if (input != null) {
            input.shut();
        }
        for (; unreadMessages > 0; unreadMessages--) {
            freeData(unreadSlots[firstUnread]);
            firstUnread = (firstUnread + 1) % credits;
        }
    }

    @Override
    public void close() {
        outputOpen = false;
        inputOpen = false;
        forget();
        if (!connected) {
            finished = true;
        } else if (!peerClosed && !closedSaid && !(ended && finSaid)) {
            closedDue = true;
            flush();
            sayDue();
            grantIfDue(); // the end waits for data that do, and the peer's may likewise
        }
    }

    @Override
    public boolean allGone() {
        return pending == 0 && freeMessages == messages && !outputBusy();
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
        if (length < HEADER || received.getInt(at + LENGTH_OFFSET) != length - HEADER) {
            fail(
                    PeerFault.MESSAGE_LENGTH,
                    length + " bytes"
                            + (length < HEADER
                                    ? ", and a header has " + HEADER
                                    : ", and its header says " + HEADER + " and "
                                            + Integer.toUnsignedString(received.getInt(at + LENGTH_OFFSET))));
            return;
        }
        int kind = received.get(at) & 0xFF;
        int flags = received.get(at + FLAGS_OFFSET) & 0xFF;
        boolean known =
                kind >= DATA && kind <= (input == null ? FIN_ACK : TAKEN) && (flags == 0 || flags == flag(kind));
        if (!known) {
            fail(PeerFault.MESSAGE_UNKNOWN, "kind " + kind + ", flags 0x" + Integer.toHexString(flags));
        } else if (kind == DATA ? length == HEADER : length != HEADER + body(kind)) {
            fail(PeerFault.MESSAGE_LENGTH, length - HEADER + " bytes of data in kind " + kind);
        } else if (takeGrant(received.getShort(at + GRANT_OFFSET) & SEQUENCE)) {
            switch (kind) {
                case DATA -> onData(slot, length - HEADER, flags == LAST);
                case GRANT -> onGrant(slot);
                case FIN -> onFin(flags == CLOSED);
                case FIN_ACK -> onFinAck();
                default -> onDirect(kind, slot, at + HEADER, flags == LAST);
            }
            fetch();
            sayDue();
            grantIfDue();
        }
    }

    /** {@return the flag that a message of a kind may have} */
    private int flag(int kind) {
        return switch (kind) {
            case FIN -> CLOSED;
            case DATA, OFFER, WRITTEN -> options.messages() ? LAST : 0;
            default -> 0;
        };
    }

    private static int body(int kind) {
        if (kind <= FIN_ACK) {
            return 0;
        }
        return kind <= OFFER ? DirectMemory.BODY : MOVED_BODY;
    }

    private void onDirect(int kind, int slot, int at, boolean last) {
        DirectInput in = input;
        DirectOutput out = output;
        if (in == null || out == null || (kind == ASK && !costs())) {
            return;
        }
        switch (kind) {
            case ASK -> out.onAsk(DirectMemory.read(received, at));
            case OFFER -> {
                if (ended) {
                    fail(PeerFault.DATA_AFTER_END, "an offer");
                } else {
                    in.onOffer(DirectMemory.read(received, at), last);
                    open = !last;
                }
            }
            case WRITTEN -> {
                in.onWritten(received.getLong(at), received.getInt(at + Long.BYTES), last);
                open = !last;
            }
            default -> out.onTaken(received.getLong(at), received.getInt(at + Long.BYTES));
        }
        if (kind == ASK) {
            freeData(slot);
        } else {
            wire.free(slot);
        }
    }

    private boolean takeGrant(int grant) {
        int more = grant - given & SEQUENCE;
        int most = used - given & SEQUENCE;
        if (more > most) {
            fail(PeerFault.GRANT_EXCEEDED, more + ", and " + most + " are not given back yet");
            return false;
        }
        given = grant;
        return true;
    }

    /** {@return whether the peer has a credit for what has come} */
    private boolean costs() {
        came = came + 1 & SEQUENCE;
        if ((came - told & SEQUENCE) > credits) {
            fail(PeerFault.CREDITS_EXCEEDED, "one more than its " + credits);
            return false;
        }
        return true;
    }

    private void onData(int slot, int length, boolean last) {
        if (ended) {
            fail(PeerFault.DATA_AFTER_END, length + " bytes");
        } else if (costs() && messageCame(length)) {
            open = !last;
            if (inputOpen) {
                int at = (firstUnread + unreadMessages) % credits;
                unreadSlots[at] = slot;
                unreadLengths[at] = length;
                unreadLast[at] = last;
                unreadMessages++;
                unread += length;
            } else {
                freeData(slot);
            }
        }
    }

    /** {@return whether it may come now: not before what is offered, or written} */
    private boolean messageCame(int length) {
        if (input != null) {
            input.onMessage(length);
        }
        return failure == null;
    }

    private void onGrant(int slot) {
        if (costs()) {
            free(slot);
        }
    }

    private void onFin(boolean closed) {
        if (peerClosed || (ended && !closed)) {
            fail(PeerFault.END_REPEATED, closed ? "a FIN with CLOSED" : "a FIN");
            return;
        }
        if (!ended && open && options.messages() && inputOpen) {
            fail(PeerFault.MESSAGE_CUT, unread() + " bytes are left to be read");
            return;
        }
        if (!ended && !messageCame(0)) {
            return;
        }
        ended = true;
        answersDue++;
        if (closed) {
            if (output != null) {
                output.onPeerClosed();
            }
            peerClosed = true;
            outputOpen = false;
            pending = 0;
            pendingGoes = false;
            pendingLast = false;
            finDue = false;
            closedDue = false;
        }
    }

    private void onFinAck() {
        if (unanswered == 0) {
            fail(PeerFault.END_REPEATED, "a FIN-ACK");
        } else {
            unanswered--;
            finishIfSaid();
        }
    }

    @Override
    public void onSent(long id) {
        for (; done <= id; done++) {
            int kind = underWay[(int) (done % slots)];
            if (kind == DATA || kind == GATHERED) {
                freeMessages++;
                gathered -= kind == GATHERED ? 1 : 0;
            } else if (kind == GRANT) {
                grantUnderWay = false;
            } else if (kind >= ASK && !finished()) {
                onDirectDone(kind);
            }
        }
        fetch();
        sayDue();
        grantIfDue();
        finishIfSaid();
    }

    private void onDirectDone(int kind) {
        DirectInput in = input;
        DirectOutput out = output;
        if (in != null && out != null) {
            switch (kind) {
                case ASK -> askUnderWay = false;
                case SWAP -> out.onSwapped();
                case PUT -> out.onPut();
                case FETCH -> in.onFetched();
                case TAKEN -> in.onTakenSent();
                default -> {}
            }
        }
    }

    @Override
    public void onBroken() {
        if (!finished()) {
            broken = true;
            finished = true;
            outputOpen = false;
        }
    }

    @Override
    public void onEnded(boolean orderly) {
        if (broken || !finished()) {
            ended |= orderly && !(open && options.messages());
            fail(PeerFault.ENDED_EARLY, unread + " bytes are left to be read");
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
        for (; answersDue > 0; answersDue--) {
            control(FIN_ACK, 0);
        }
        boolean heldBack = outputBusy(); // then the peer may be closed likewise, and wait for this
        if (input != null && (!closedDue || heldBack) && !closedSaid && !peerClosed) {
            input.sayTaken();
        }
        if (pending == 0 && (finDue || closedDue) && !heldBack && !(closedDue && fetching())) {
            boolean closed = closedDue;
            finDue = false;
            closedDue = false;
            finSaid = true;
            closedSaid |= closed;
            unanswered++;
            control(FIN, closed ? CLOSED : 0);
        }
    }

    /** Gives what was read again, when it is half of the credits; a message that goes anyhow gives it before. */
    private void grantIfDue() {
        boolean wanted = connected && !ended && !closedSaid && !finished();
        if (wanted && 2 * freedData >= credits && creditsLeft() > 0 && !grantUnderWay) {
            grant();
        }
    }

    private void grant() {
        used = used + 1 & SEQUENCE;
        grantUnderWay = true;
        control(GRANT, 0);
    }

    /** An RDMA Read that breaks off would end the connection. */
    private boolean fetching() {
        return input != null && input.fetching();
    }

    private void control(int kind, int flags) {
        sayControl(kind, flags, 0);
    }

    private void sayControl(int kind, int flags, int body) {
        head(header, 0, kind, flags, body);
        wire.sendCopy(header.limit(HEADER + body), id(kind));
    }

    /** What both directions of data that are not copied do to the stream. */
    private final class Host implements DirectHost {
        @Override
        public void say(int kind, DirectMemory memory, boolean last) {
            if (kind == ASK) {
                used = used + 1 & SEQUENCE;
                askUnderWay = true;
            }
            memory.write(header.clear(), HEADER);
            sayControl(kind, last ? LAST : 0, DirectMemory.BODY);
        }

        @Override
        public void say(int kind, long word, int length, boolean last) {
            header.clear().putLong(HEADER, word).putInt(HEADER + Long.BYTES, length);
            sayControl(kind, last ? LAST : 0, MOVED_BODY);
        }

        @Override
        public long id(int kind) {
            return CreditEngine.this.id(kind);
        }

        @Override
        public void fail(PeerFault fault, String detail) {
            CreditEngine.this.fail(fault, detail);
        }
    }

    private void head(ByteBuffer to, int at, int kind, int flags, int length) {
        to.put(at, (byte) kind)
                .put(at + FLAGS_OFFSET, (byte) flags)
                .putShort(at + GRANT_OFFSET, (short) freed)
                .putInt(at + LENGTH_OFFSET, length);
        told = freed;
        freedData = 0;
    }

    private long id(int kind) {
        underWay[(int) (posted % slots)] = kind;
        return posted++;
    }

    /** Both ends have said all, each has answered the other, and the answers are done. */
    private void finishIfSaid() {
        boolean said = peerClosed || closedSaid || (ended && finSaid);
        finished |= said && unanswered == 0 && answersDue == 0 && done == posted && !finDue && !closedDue;
    }

    private void fail(PeerFault fault, String detail) {
        failure = new StreamException(fault, detail);
        outputOpen = false;
    }
}
