package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream with the protocol of librdmacm's rsockets over iWARP. Data are RDMA Writes to places that the
 * peer grants. Each is followed by a Send with a word of four bytes, which has the number of bytes. Credits and places
 * are granted in the same way.
 *
 * <p>Three bits of a word are its kind, and 29 bits its value. Words, and places in the peer's table, have the byte
 * order of the peer's record, so that ends of both byte orders can communicate.
 *
 * <p>One thread at a time. Once connected, the engine allocates nothing except growing receive memory, at most twice
 * per place.
 */
public final class RsocketEngine implements SocketEngine {
    /** Octets of a word, and of a receive buffer. */
    public static final int WORD = 4;

    /** Octets of a table of places. */
    public static final int TABLE_LENGTH = RemotePlaces.TABLE_LENGTH;

    /** Octets of an entry of an I/O map, which follows that table. */
    public static final int MAP_ENTRY = RemoteMap.ENTRY;

    /** Receive buffers beyond the credits, for words that need no credit. */
    public static final int SPARE_RECEIVES = 2 * 4;

    private static final int VALUE = (1 << RsocketSender.KIND_SHIFT) - 1;

    private static final StreamSink NOWHERE = (from, offset, length) -> {};

    private final Memory memory;
    private final BufferCopy source = new BufferCopy();
    private final int credits;
    private final RsocketSender sender;
    private final ReceivePlaces received;

    private boolean moreFollows;
    private boolean outputOpen = true;
    /**
     * Whether a write to shared memory of the peer waits, and nothing was written to the stream since. Such a write
     * needs neither credits nor a place.
     */
    private boolean aloneWaits;
    /** The waiting word for the end of the stream; -1 if none waits. */
    private int lastWord = -1;

    private boolean inputOpen = true;
    /**
     * Whether received data are discarded, so that a writing peer does not wait forever: the program has shut down its
     * input but not closed the stream.
     */
    private boolean discards;
    /** Whether the peer has ended its direction of the stream. */
    private boolean ended;
    /** Whether the connection ends with a reason that is not known yet. */
    private boolean broken;

    /** Whether the peer has closed the stream. */
    private boolean peerClosed;

    private boolean finished;
    private @Nullable StreamException failure;
    /** Words that arrived before the peer's record, read as big-endian. */
    private final List<Integer> early = new ArrayList<>();

    /**
     * Memory of one end.
     *
     * @param first place for data of the peer
     * @param second place for data of the peer; may follow the first in the same memory
     * @param table {@link RsocketEngine#TABLE_LENGTH} bytes of 0 for places of the peer, followed by {@link
     *     RsocketEngine#MAP_ENTRY} bytes for each range of its memory that the peer can share
     * @param tableAddress address of the table
     * @param tableKey STag of the table
     */
    public record Memory(
            RsocketWire.Place first, RsocketWire.Place second, ByteBuffer table, long tableAddress, int tableKey) {}

    /**
     * Makes one end. {@link #record} is sent to the peer; {@link #connected} starts the stream.
     *
     * @param memory that the peer writes to
     * @param sent send memory
     * @param credits posted receive buffers, without {@link #SPARE_RECEIVES}: 2 to 65,534
     * @param slots maximum of posted work requests, as in {@code QueuePairAttributes}: 8 or more
     * @param wire posts requests
     */
    public RsocketEngine(Memory memory, ByteBuffer sent, int credits, int slots, RsocketWire wire) {
        if (credits < 2 || credits >= 0xFFFF || slots < 2 * RsocketSender.MOST_CONTROLS) {
            throw new IllegalArgumentException(
                    "an rsocket has 2 to 65,534 credits and 8 or more slots, not " + credits + " and " + slots);
        }
        this.memory = memory;
        this.credits = credits;
        received = new ReceivePlaces(memory.first(), memory.second(), credits, wire);
        ByteBuffer table = memory.table().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        sender = new RsocketSender(wire, sent, slots, new RemotePlaces(table), new RemoteMap(table, TABLE_LENGTH));
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
                        sender.map.entries())
                .bytes();
    }

    @Override
    public void connected(ByteBuffer privateData) throws StreamException {
        RsocketRecord told = RsocketRecord.read(privateData);
        sender.connected(told);
        for (int word : early) {
            onWord(told.bigEndian() ? word : Integer.reverseBytes(word));
        }
        early.clear();
        sayLastWord();
        grantIfDue();
    }

    // ---- calls of the program

    @Override
    public boolean writable() {
        return failure != null
                || (!sender.borrowed() && (!outputOpen || sender.canSend() || (aloneWaits && sender.canWriteAlone())));
    }

    @Override
    public int write(StreamSource from, int length) throws IOException {
        checkOutput();
        aloneWaits = false;
        int taken = 0;
        while (taken < length && sender.canSend()) {
            taken += sender.hold(from, length - taken);
            if (!moreFollows || sender.full()) {
                sender.flush();
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
        return sender.holds();
    }

    @Override
    public void flush() {
        if (!finished()) {
            sender.flush();
        }
    }

    @Override
    public int gather(ByteBuffer data) throws IOException {
        checkOutput();
        flush();
        aloneWaits = false;
        int gathered = sender.gather(data);
        moreFollows &= data.hasRemaining(); // bytes that are left are copied by a call of write
        return gathered;
    }

    @Override
    public boolean borrowed() {
        return sender.borrowed();
    }

    /** {@return the number of entries of the peer for {@link #tell}; 0 before there is a connection} */
    public int peerEntries() {
        RsocketRecord peer = sender.peer();
        return peer == null ? 0 : peer.mapEntries();
    }

    /**
     * Announces memory of this end that the peer may write to by offsets ({@code riomap}).
     *
     * @param entry 0 to {@link #peerEntries} - 1; its former value is overwritten
     * @param offset by which the peer addresses the first byte
     * @param address of the first byte
     * @param key its STag
     * @param length in bytes
     * @return false if the caller must wait until {@link #writable}
     * @throws IOException if no more can be sent
     */
    public boolean tell(int entry, long offset, long address, int key, int length) throws IOException {
        checkOutput();
        flush();
        if (entry < 0 || entry >= peerEntries()) {
            throw new IllegalArgumentException(
                    "the peer has " + peerEntries() + " entries, and none with number " + entry);
        }
        if (!sender.canSend()) {
            return false;
        }
        sender.tell(entry, offset, address, key, length);
        return true;
    }

    /**
     * Writes to memory that the peer has shared ({@code riowrite}); the peer's program is not notified.
     *
     * @param offset of the destination in the shared memory
     * @param data from position to limit; the position moves by the returned value
     * @return number of accepted bytes; 0 if the caller must wait
     * @throws IOException if no more can be sent, or the peer has shared no memory at the offset
     */
    public int writeAt(long offset, ByteBuffer data) throws IOException {
        checkOutput();
        flush();
        aloneWaits = false;
        int before = data.position();
        while (data.hasRemaining()) {
            long at = offset + (data.position() - before);
            int entry = sender.map.find(at);
            if (entry < 0) {
                if (data.position() > before) {
                    break;
                }
                throw new IOException("the peer has shared no memory at offset " + at);
            }
            if (!sender.canWriteAlone()) {
                aloneWaits = true;
                break;
            }
            sender.writeAlone(entry, at, source.of(data), data.remaining());
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
                    : new AsynchronousCloseException(); // the program shuts down the output during a write
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
        flush(); // a program that reads probably waits for an answer
        if (received.unread() == 0) {
            if (failure != null && !(ended && failure.fault() == PeerFault.ENDED_EARLY)) {
                throw failure.again();
            }
            return inputOpen ? 0 : -1;
        }
        int read = received.read(into, most);
        grantIfDue();
        return read;
    }

    @Override
    public void shutdownOutput() {
        if (outputOpen) {
            flush();
            outputOpen = false;
            lastWord = inputOpen ? RsocketSender.SHUTDOWN : RsocketSender.DISCONNECT;
            sayLastWord();
        }
    }

    @Override
    public void shutdownInput() {
        inputOpen = false;
        discards = !ended && !finished();
        discard();
        if (!outputOpen && !finished) {
            lastWord = RsocketSender.DISCONNECT;
            sayLastWord();
        }
    }

    private void discard() {
        received.read(NOWHERE, received.unread());
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
        if (sender.peer() == null) {
            finished = true;
        } else if (!said) {
            lastWord = RsocketSender.DISCONNECT;
            sayLastWord();
        }
    }

    @Override
    public boolean allGone() {
        return sender.allGone();
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

    // ---- events of the queue pair

    /**
     * Processes a completed receive. The buffer may be posted again at once.
     *
     * @param words memory of the receive buffers
     * @param at offset of the buffer
     * @param length received bytes
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
        if (sender.peer() != null) {
            onWord(words.order() == sender.order() ? word : Integer.reverseBytes(word));
        } else if (early.size() < credits + SPARE_RECEIVES) {
            early.add(words.order() == ByteOrder.BIG_ENDIAN ? word : Integer.reverseBytes(word));
        } else {
            fail(PeerFault.CREDITS_EXCEEDED, "one more than the " + early.size() + " words that wait for its record");
        }
    }

    private void onWord(int word) {
        if (finished()) {
            peerClosed |= word == (RsocketSender.CONTROL << RsocketSender.KIND_SHIFT | RsocketSender.DISCONNECT);
            return;
        }
        switch (word >>> RsocketSender.KIND_SHIFT) {
            case RsocketSender.DATA -> onData(word & VALUE);
            case RsocketSender.CREDITS -> sender.granted(word);
            case RsocketSender.MAP -> onMap(word);
            case RsocketSender.CONTROL -> onControl(word);
            default -> unknown(word);
        }
    }

    private void onMap(int word) {
        int entry = word & VALUE;
        if (entry < sender.map.entries()) {
            sender.map.update(entry);
            received.consume();
            grantIfDue();
        } else {
            unknown(word);
        }
    }

    private void onData(int bytes) {
        if (ended) {
            fail(PeerFault.DATA_AFTER_END, bytes + " bytes");
        } else if (!inputOpen && !discards) {
            return; // the program has closed the stream
        } else if (received.full()) {
            fail(PeerFault.CREDITS_EXCEEDED, "one more than the " + credits + " that were not read yet");
        } else if (bytes > received.room()) {
            fail(PeerFault.ROOM_EXCEEDED, bytes + " bytes, and there was room for " + received.room());
        } else {
            received.came(bytes);
            if (discards) {
                discard();
            }
        }
    }

    private void onControl(int word) {
        switch (word & VALUE) {
            case RsocketSender.DISCONNECT -> {
                ended = true;
                inputOpen = false;
                outputOpen = false;
                peerClosed = true;
                finished = true;
            }
            case RsocketSender.SHUTDOWN -> {
                ended = true;
                inputOpen = false;
                discards = false;
                finishIfSaid();
            }
            case RsocketSender.KEEPALIVE -> {}
            default -> unknown(word);
        }
    }

    private void unknown(int word) {
        fail(PeerFault.WORD_UNKNOWN, "0x" + Integer.toHexString(word));
    }

    @Override
    public void onSent(long id) {
        finished |= sender.done(id);
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
        if (lastWord >= 0 && !finished() && sender.sayEnd(lastWord)) {
            lastWord = -1;
        }
    }

    /** Finishes the stream if both ends have ended their directions and no request is outstanding. */
    private void finishIfSaid() {
        if (ended && !outputOpen && lastWord < 0 && sender.allDone()) {
            finished = true;
        }
    }

    /** Grants memory and credits again when a place, or half of the credits, is free. */
    private void grantIfDue() {
        boolean place = received.placeDue();
        if ((place || received.creditsDue()) && (inputOpen || discards) && !finished() && sender.mayGrant()) {
            int count = received.giveCredits();
            sender.grant(count, place ? received.give() : null);
        }
    }

    private void fail(PeerFault fault, String detail) {
        failure = new StreamException(fault, detail);
        inputOpen = false;
        outputOpen = false;
    }
}
