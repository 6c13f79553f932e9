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

    private static final int VALUE = (1 << RsocketSender.KIND_SHIFT) - 1;

    private static final StreamSink NOWHERE = (from, offset, length) -> {};

    private final Memory memory;
    private final BufferCopy source = new BufferCopy();
    private final int credits;
    private final RsocketSender sender;
    private final ReceivePlaces received;

    private boolean moreFollows;
    private boolean outputOpen = true;
    /** A write to memory of the peer waits, and nothing was written to the stream since. It needs neither credits nor a place. */
    private boolean aloneWaits;
    /** The word that says the end, if it waits for others to be done; else -1. */
    private int lastWord = -1;

    private boolean inputOpen = true;
    /** The program has shut down its input and is not closed: data that come are discarded, so that a peer that writes does not wait for ever. */
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
    public record Memory(
            RsocketWire.Place first, RsocketWire.Place second, ByteBuffer table, long tableAddress, int tableKey) {}

    /**
     * Begins one end; {@link #record} goes to the peer, and {@link #connected} makes it a stream.
     *
     * @param memory that the peer writes to
     * @param sent memory that data are sent from
     * @param credits receive buffers that are posted, without {@link #SPARE_RECEIVES}: 2 to 65,534
     * @param slots work requests that may be posted, in the words of {@code QueuePairAttributes}: 8 or more
     * @param wire posts what is to be sent
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

    // ---- the program's calls

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
        return sender.gather(data);
    }

    @Override
    public boolean borrowed() {
        return sender.borrowed();
    }

    /** {@return entries that the peer has for {@link #tell}; 0 before there is a connection} */
    public int peerEntries() {
        RsocketRecord peer = sender.peer();
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
            int entry = sender.map.find(at);
            if (entry < 0) {
                if (data.position() > before) {
                    break;
                }
                throw new IOException("the peer has told of no memory at offset " + at);
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
        flush(); // a program that reads waits for an answer
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
            return; // the program has closed it
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

    /** Each end has said that it sends no more, and the word of this end is done. */
    private void finishIfSaid() {
        if (ended && !outputOpen && lastWord < 0 && sender.allDone()) {
            finished = true;
        }
    }

    /** Gives what was read again, when it is a place or half of the credits. */
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
