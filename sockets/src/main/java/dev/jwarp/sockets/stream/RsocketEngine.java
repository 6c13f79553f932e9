package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream as librdmacm's rsockets have it over iWARP: data are RDMA Writes to places that the peer gives, behind each a Send with a word of four
 * bytes that says how many; credits and places come back the same way.
 *
 * <p>Three bits of a word say what it is, 29 how many or which. Words, and places in the peer's table, go in the order that the peer told, so ends of both
 * orders can talk.
 *
 * <p>One thread at a time. Nothing is allocated once there is a connection, but memory to receive in that grows, at most twice a place.
 */
public final class RsocketEngine implements SocketEngine {
    /** Octets of a word, and of a receive buffer. */
    public static final int WORD = 4;

    /** Octets of a table of places. */
    public static final int TABLE_LENGTH = RemotePlaces.TABLE_LENGTH;

    /** Octets of an entry of an I/O map, behind that table. */
    public static final int MAP_ENTRY = RemoteMap.ENTRY;

    /** Receive buffers beyond the credits: words that need none. */
    public static final int SPARE_RECEIVES = 2 * 4;

    private static final int KIND_SHIFT = 29;
    private static final int VALUE = (1 << KIND_SHIFT) - 1;
    private static final int DATA = 0;
    private static final int CREDITS = 4;
    private static final int MAP = 6;
    private static final int CONTROL = 7;

    private static final int DISCONNECT = 0;
    private static final int KEEPALIVE = 1;
    private static final int SHUTDOWN = 2;

    /** As librdmacm has it (RS_MAX_TRANSFER). Its shorter ones at the beginning of a call would bring nothing: what a call posts leaves together. */
    private static final int LARGEST_MESSAGE = 65_536;

    /** Data go when so much of the send memory is free (RS_SNDLOWAT), or half of it. */
    private static final int LOW_WATER = 2048;

    /** Words without data that may be under way; a new place counts as two (RS_QP_CTRL_SIZE). */
    private static final int MOST_CONTROLS = 4;

    /** What a word that is under way frees when it is done: of data the bytes; else one of these. */
    private static final int ONE_CONTROL = -1;

    private static final int TWO_CONTROLS = -2;
    private static final int GOODBYE = -3;
    /** An RDMA Write without a word: so much, less its bytes. */
    private static final int ALONE = -4;

    /** Data that were not copied. */
    private static final int GATHERED = Integer.MIN_VALUE;

    private static final int SEQUENCE = 0xFFFF;

    private static final StreamSink NOWHERE = (from, offset, length) -> {};

    private final Memory memory;
    private final ByteBuffer sent;
    private final BufferSource source = new BufferSource();
    private final StreamWire wire;
    private final int credits;

    private @Nullable RsocketRecord peer;
    private final ByteBuffer scratch = ByteBuffer.allocate(RemoteMap.ENTRY);

    // ---- to the peer
    private final RemotePlaces places;
    private final RemoteMap map;
    private int sequence;
    private int granted;
    /**
     * Credits that are not used: librdmacm has as many receives as it gives credits, and none besides for words, which cost no credit. InfiniBand asks again
     * where there is no receive; iWARP ends the connection.
     */
    private int kept;

    private final int sendSize;
    private int sendAt;
    private int sendFree;
    /** Bytes at {@link #sendAt} that wait for others. There is always room to post them, and another message behind them. */
    private int held;

    private boolean moreFollows;

    /** Work requests of data that may be posted: two a message. */
    private int slots;

    private final int[] underWay;
    private long posted;
    private long done;
    /** Messages under way whose bytes are the program's. */
    private int gathered;

    private int controls;
    private boolean outputOpen = true;
    /** A write to memory of the peer waits, and nothing was written to the stream since. It needs neither credits nor a place. */
    private boolean aloneWaits;
    /** The word that says the end, if it waits for others to be done; else -1. */
    private int lastWord = -1;

    // ---- from the peer
    private final ReceivePlaces received;
    private final int[] messages;
    private int firstMessage;
    private int unreadMessages;
    /** In the peer's table. */
    private int placeIndex = 1;

    private int consumed;
    private int grantAt;
    private boolean inputOpen = true;
    /** The program reads no more and is not closed: what comes is taken for nothing, so that a peer that writes does not wait for ever. */
    private boolean discards;
    /** The peer has said that it sends no more. */
    private boolean ended;
    /** The connection ends, and how is not known yet. */
    private boolean broken;

    /** The peer has said that it is closed. */
    private boolean peerClosed;

    private boolean finished;
    private @Nullable StreamException failure;
    /** Words that came before the peer's record, as if they were big-endian. */
    private final List<Integer> early = new ArrayList<>();

    /**
     * Memory of one end.
     *
     * @param first that the peer writes data to
     * @param second likewise; may lie in the same memory, behind it
     * @param table {@link RsocketEngine#TABLE_LENGTH} bytes of 0 that the peer writes places to, and behind them {@link RsocketEngine#MAP_ENTRY} for each
     *     range of its memory that it can tell of
     * @param tableAddress its address
     * @param tableKey its STag
     */
    public record Memory(ReceivePlace first, ReceivePlace second, ByteBuffer table, long tableAddress, int tableKey) {}

    /**
     * Begins one end; {@link #record} goes to the peer, and {@link #connected} makes it a stream.
     *
     * @param memory that the peer writes to
     * @param sent memory that data are sent from
     * @param credits receive buffers that are posted, without {@link #SPARE_RECEIVES}: 2 to 65,534
     * @param slots work requests that may be posted, in the words of {@code QueuePairAttributes}: 8 or more
     * @param wire posts what is to be sent
     */
    public RsocketEngine(Memory memory, ByteBuffer sent, int credits, int slots, StreamWire wire) {
        if (credits < 2 || credits >= SEQUENCE || slots < 2 * MOST_CONTROLS) {
            throw new IllegalArgumentException(
                    "an rsocket has 2 to 65,534 credits and 8 or more slots, not " + credits + " and " + slots);
        }
        this.memory = memory;
        this.wire = wire;
        this.credits = credits;
        received = new ReceivePlaces(memory.first(), memory.second(), wire);
        this.sent = sent.duplicate();
        sendSize = sent.capacity();
        sendFree = sendSize;
        this.slots = slots - MOST_CONTROLS;
        underWay = new int[this.slots + MOST_CONTROLS];
        messages = new int[credits];
        ByteBuffer table = memory.table().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        places = new RemotePlaces(table);
        map = new RemoteMap(table, TABLE_LENGTH);
        grantAt = credits / 2;
    }

    @Override
    public byte[] record() {
        return new RsocketRecord(
                        false,
                        credits,
                        new RsocketRecord.Place(memory.tableAddress(), memory.tableKey(), RsocketRecord.PLACES),
                        new RsocketRecord.Place(
                                received.first().address(),
                                received.first().key(),
                                received.first().length()),
                        map.entries())
                .bytes();
    }

    /**
     * Looks at a peer's record before anything is made for it.
     *
     * @param privateData of the peer; not changed
     * @throws StreamException if there is no stream to be had with it
     */
    public static void checkRecord(ByteBuffer privateData) throws StreamException {
        RsocketRecord.read(privateData);
    }

    @Override
    public void connected(ByteBuffer privateData) throws StreamException {
        RsocketRecord told = RsocketRecord.read(privateData);
        peer = told;
        scratch.order(told.order());
        places.begin(told.data());
        granted = told.credits();
        kept = Math.min(SPARE_RECEIVES, granted / 2); // the peer gives credits again when half of them are used
        for (int word : early) {
            onWord(told.bigEndian() ? word : Integer.reverseBytes(word));
        }
        early.clear();
        sayLastWord();
        grantIfDue();
    }

    // ---- the program's calls

    @Override
    public boolean writable() {
        return failure != null || (gathered == 0 && (!outputOpen || canSend() || (aloneWaits && canWriteAlone())));
    }

    private boolean canSend() {
        return sendable() && taken();
    }

    /** {@return whether the peer takes another message, and it can be posted} A message of the held bytes goes before it. */
    private boolean taken() {
        int before = held > 0 ? 1 : 0;
        return peer != null
                && slots >= 2 + 2 * before
                && (granted - sequence & SEQUENCE) > kept + before
                && places.room() > held;
    }

    private boolean canWriteAlone() {
        return peer != null && slots > 0 && sendable();
    }

    private boolean sendable() {
        return sendFree - held >= Math.min(LOW_WATER, sendSize / 2);
    }

    @Override
    public int write(StreamSource from, int length) throws IOException {
        checkOutput();
        aloneWaits = false;
        int taken = 0;
        while (taken < length && canSend()) {
            taken += fill(from, Math.min(Math.min(length - taken, LARGEST_MESSAGE - held), places.room() - held));
            if (!moreFollows || held == LARGEST_MESSAGE || sendAt + held == sendSize || !canSend()) {
                flush();
            }
        }
        moreFollows = false;
        return taken;
    }

    @Override
    public void combine(boolean yes) {
        if (!yes) {
            flush();
        }
    }

    @Override
    public void moreFollows() {
        moreFollows = true;
    }

    @Override
    public boolean waits() {
        return held > 0;
    }

    @Override
    public void flush() {
        if (held > 0 && !finished()) {
            int length = held;
            wire.write(sendAt, length, places.address(), places.key());
            used(length);
            told(length, length);
        }
    }

    @Override
    public int gather(ByteBuffer data) throws IOException {
        checkOutput();
        flush();
        aloneWaits = false;
        int before = data.position();
        while (data.hasRemaining() && taken()) {
            int length = Math.min(Math.min(data.remaining(), LARGEST_MESSAGE), places.room());
            wire.gather(data.position(), length, places.address(), places.key());
            gathered++;
            told(length, GATHERED);
            data.position(data.position() + length);
        }
        return data.position() - before;
    }

    @Override
    public boolean borrowed() {
        return gathered > 0;
    }

    /** Puts data into the send memory: as much as there is room for in one piece. They are held until {@link #used}. */
    private int fill(StreamSource from, int most) {
        int at = sendAt + held;
        int length = Math.min(most, Math.min(sendFree - held, sendSize - at));
        from.give(sent, at, length);
        held += length;
        return length;
    }

    private void used(int length) {
        sendAt = (sendAt + length) % sendSize;
        sendFree -= length;
        held -= length;
    }

    /** The peer is told of data that are posted. */
    private void told(int length, int frees) {
        places.use(length);
        slots -= 2;
        sequence = sequence + 1 & SEQUENCE;
        word(DATA, length, frees);
    }

    /** {@return entries that the peer has for {@link #tell}; 0 before there is a connection} */
    public int peerEntries() {
        return peer == null ? 0 : peer.mapEntries();
    }

    /**
     * Tells the peer of memory here that it may write to by offsets ({@code riomap}).
     *
     * @param entry 0 to {@link #peerEntries} - 1; what it was before is forgotten
     * @param offset the peer's name for the first byte
     * @param address of the first byte
     * @param key its STag
     * @param length in bytes
     * @return false: it has to wait, until {@link #writable}
     * @throws IOException if no more can be sent
     */
    public boolean tell(int entry, long offset, long address, int key, int length) throws IOException {
        checkOutput();
        flush();
        RsocketRecord to = peer;
        if (entry < 0 || entry >= peerEntries()) {
            throw new IllegalArgumentException(
                    "the peer has " + peerEntries() + " entries, and none with number " + entry);
        }
        if (to == null || !canSend()) {
            return false;
        }
        scratch.clear();
        scratch.putLong(RemoteMap.OFFSET_OFFSET, offset)
                .putLong(RemoteMap.ADDRESS_OFFSET, address)
                .putInt(RemoteMap.KEY_OFFSET, key)
                .putInt(RemoteMap.LENGTH_OFFSET, length);
        wire.writeCopy(
                scratch,
                to.places().address()
                        + (long) to.places().length() * RsocketRecord.Place.LENGTH
                        + (long) entry * RemoteMap.ENTRY,
                to.places().key());
        slots -= 2;
        sequence = sequence + 1 & SEQUENCE;
        word(MAP, entry, 0);
        return true;
    }

    /**
     * Writes to memory that the peer has told of ({@code riowrite}); the peer's program does not learn it.
     *
     * @param offset by the peer's names
     * @param data from position to limit; the position moves by what is returned
     * @return how many bytes were taken; 0: it has to wait
     * @throws IOException if no more can be sent, or the peer has told of no memory there
     */
    public int writeAt(long offset, ByteBuffer data) throws IOException {
        checkOutput();
        flush();
        aloneWaits = false;
        int before = data.position();
        while (data.hasRemaining()) {
            long at = offset + (data.position() - before);
            int entry = map.find(at);
            if (entry < 0) {
                if (data.position() > before) {
                    break;
                }
                throw new IOException("the peer has told of no memory at offset " + at);
            }
            if (!canWriteAlone()) {
                aloneWaits = true;
                break;
            }
            int most = (int) Math.min(map.left(entry, at), LARGEST_MESSAGE);
            int length = fill(source.of(data), Math.min(data.remaining(), most));
            underWay[(int) (posted % underWay.length)] = ALONE - length;
            wire.writeAlone(sendAt, length, map.address(entry, at), map.key(entry), posted++);
            slots--;
            used(length);
        }
        return data.position() - before;
    }

    private void checkOutput() throws IOException {
        if (failure != null) {
            throw failure.again();
        }
        if (!outputOpen) {
            throw finished
                    ? SocketFault.BROKEN_PIPE.exception("the peer has closed the connection")
                    : new AsynchronousCloseException(); // the program shuts it down while a thread of it writes
        }
    }

    @Override
    public boolean readable() {
        return received.unread() > 0 || !inputOpen || failure != null;
    }

    @Override
    public int unread() {
        return received.unread();
    }

    @Override
    public int read(StreamSink into, int most) throws IOException {
        flush(); // who reads waits for an answer
        if (received.unread() == 0) {
            if (failure != null && !(ended && failure.fault() == PeerFault.ENDED_EARLY)) {
                throw failure.again();
            }
            return inputOpen ? 0 : -1;
        }
        int read = received.read(into, most);
        count(read);
        grantIfDue();
        return read;
    }

    /** Messages that were read whole give a credit each. */
    private void count(int bytes) {
        int left = bytes;
        while (unreadMessages > 0 && messages[firstMessage] <= left) {
            left -= messages[firstMessage];
            firstMessage = (firstMessage + 1) % credits;
            unreadMessages--;
            consumed = consumed + 1 & SEQUENCE;
        }
        if (left > 0) {
            messages[firstMessage] -= left;
        }
    }

    @Override
    public void shutdownOutput() {
        if (outputOpen) {
            flush();
            outputOpen = false;
            lastWord = inputOpen ? SHUTDOWN : DISCONNECT;
            sayLastWord();
        }
    }

    @Override
    public void shutdownInput() {
        inputOpen = false;
        discards = !ended && !finished();
        discard();
        if (!outputOpen && !finished) {
            lastWord = DISCONNECT;
            sayLastWord();
        }
    }

    private void discard() {
        count(received.read(NOWHERE, received.unread()));
        grantIfDue();
    }

    @Override
    public void close() {
        flush();
        boolean said = !outputOpen && !inputOpen;
        discards = false;
        outputOpen = false;
        inputOpen = false;
        received.forget();
        if (peer == null) {
            finished = true;
        } else if (!said) {
            lastWord = DISCONNECT;
            sayLastWord();
        }
    }

    @Override
    public boolean allGone() {
        return held == 0 && sendFree == sendSize && gathered == 0;
    }

    @Override
    public boolean finished() {
        return finished || failure != null;
    }

    @Override
    public boolean failed() {
        return failure != null;
    }

    @Override
    public boolean peerClosed() {
        return peerClosed;
    }

    // ---- what the queue pair tells

    /**
     * A receive is done. The buffer may be posted again at once.
     *
     * @param words memory of the receive buffers
     * @param at where the one begins
     * @param length how many bytes came
     */
    public void onReceived(ByteBuffer words, int at, int length) {
        if (failed() || peerClosed) {
            return;
        }
        if (length != WORD) {
            fail(PeerFault.WORD_LENGTH, length + " bytes, and a word has " + WORD);
            return;
        }
        int word = words.getInt(at);
        if (peer != null) {
            onWord(words.order() == scratch.order() ? word : Integer.reverseBytes(word));
        } else if (early.size() < credits + SPARE_RECEIVES) {
            early.add(words.order() == ByteOrder.BIG_ENDIAN ? word : Integer.reverseBytes(word));
        } else {
            fail(PeerFault.CREDITS_EXCEEDED, "one more than the " + early.size() + " words that wait for its record");
        }
    }

    private void onWord(int word) {
        if (finished()) {
            peerClosed |= word == (CONTROL << KIND_SHIFT | DISCONNECT);
            return;
        }
        switch (word >>> KIND_SHIFT) {
            case DATA -> onData(word & VALUE);
            case CREDITS -> {
                granted = word & SEQUENCE;
                places.update();
            }
            case MAP -> onMap(word);
            case CONTROL -> onControl(word);
            default -> unknown(word);
        }
    }

    private void onMap(int word) {
        int entry = word & VALUE;
        if (entry < map.entries()) {
            map.update(entry);
            consumed = consumed + 1 & SEQUENCE;
            grantIfDue();
        } else {
            unknown(word);
        }
    }

    private void onData(int bytes) {
        if (ended) {
            fail(PeerFault.DATA_AFTER_END, bytes + " bytes");
        } else if (!inputOpen && !discards) {
            return; // the program has closed it
        } else if (unreadMessages == credits) {
            fail(PeerFault.CREDITS_EXCEEDED, "one more than the " + credits + " that were not read yet");
        } else if (bytes > received.room()) {
            fail(PeerFault.ROOM_EXCEEDED, bytes + " bytes, and there was room for " + received.room());
        } else {
            messages[(firstMessage + unreadMessages) % credits] = bytes;
            unreadMessages++;
            received.came(bytes);
            if (discards) {
                discard();
            }
        }
    }

    private void onControl(int word) {
        switch (word & VALUE) {
            case DISCONNECT -> {
                ended = true;
                inputOpen = false;
                outputOpen = false;
                peerClosed = true;
                finished = true;
            }
            case SHUTDOWN -> {
                ended = true;
                inputOpen = false;
                discards = false;
                finishIfSaid();
            }
            case KEEPALIVE -> {}
            default -> unknown(word);
        }
    }

    private void unknown(int word) {
        fail(PeerFault.WORD_UNKNOWN, "0x" + Integer.toHexString(word));
    }

    @Override
    public void onSent(long id) {
        for (; done <= id; done++) {
            int frees = underWay[(int) (done % underWay.length)];
            if (frees >= 0) {
                slots += 2;
                sendFree += frees;
            } else if (frees == GATHERED) {
                slots += 2;
                gathered--;
            } else if (frees <= ALONE) {
                slots++;
                sendFree += ALONE - frees;
            } else if (frees == GOODBYE) {
                controls--;
                finished = true;
            } else {
                controls += frees;
            }
        }
        sayLastWord();
        grantIfDue();
        finishIfSaid();
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
            ended |= orderly;
            fail(PeerFault.ENDED_EARLY, received.unread() + " bytes are left to be read");
        }
        broken = false;
        finished = true;
    }

    // ---- words

    private void sayLastWord() {
        if (lastWord < 0 || peer == null || finished() || controls == MOST_CONTROLS) {
            return;
        }
        controls++;
        word(CONTROL, lastWord, lastWord == DISCONNECT ? GOODBYE : ONE_CONTROL);
        lastWord = -1;
    }

    /** Each end has said that it sends no more, and this one's word is done. */
    private void finishIfSaid() {
        if (ended && !outputOpen && lastWord < 0 && done == posted) {
            finished = true;
        }
    }

    /** Gives what was read again, when it is a place or half of the credits. */
    private void grantIfDue() {
        boolean place = received.due();
        boolean due = place || (short) (consumed - grantAt) >= 0;
        RsocketRecord to = peer;
        if (!due || to == null || (!inputOpen && !discards) || finished() || controls > MOST_CONTROLS - 2) {
            return;
        }
        grantAt = consumed + credits / 2 & SEQUENCE;
        if (place) {
            ReceivePlace given = received.give();
            scratch.clear().limit(RsocketRecord.Place.LENGTH);
            scratch.putLong(0, given.address())
                    .putInt(RsocketRecord.Place.KEY_OFFSET, given.key())
                    .putInt(RsocketRecord.Place.LENGTH_OFFSET, given.length());
            wire.writeCopy(
                    scratch,
                    to.places().address() + (long) placeIndex * RsocketRecord.Place.LENGTH,
                    to.places().key());
            placeIndex = (placeIndex + 1) % to.places().length();
        }
        controls += place ? 2 : 1;
        word(CREDITS, consumed + credits, place ? TWO_CONTROLS : ONE_CONTROL);
    }

    private void word(int kind, int value, int frees) {
        underWay[(int) (posted % underWay.length)] = frees;
        scratch.clear().limit(WORD);
        scratch.putInt(0, kind << KIND_SHIFT | value);
        wire.send(scratch, posted++);
    }

    private void fail(PeerFault fault, String detail) {
        failure = new StreamException(fault, detail);
        inputOpen = false;
        outputOpen = false;
    }
}
