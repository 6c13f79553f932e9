package dev.jwarp.tools.copy;

import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.SharedMemory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Numbers, texts and bytes through a channel that blocks; numbers are big-endian. One thread, and another one that looks whether the peer is waited for too long. */
final class CopyTalk implements AutoCloseable {
    private static final int ROOM = 1 << 16;

    /** Longest time to wait for the peer's next step. */
    static final long PATIENCE_NANOS = 60_000_000_000L;

    /** Longest time for a whole request: bytes that come one by one do not prolong it. */
    static final long REQUEST_NANOS = 10_000_000_000L;

    /** Of data so many bytes come, or go, in the time of patience at least. */
    static final int LEAST_BYTES = 1 << 16;

    /** Time for an end that is asked to leave to say why, and to hear the last of its peer. */
    private static final long FAREWELL_NANOS = 2_000_000_000L;

    /** Additional time for each byte of a sum: at 10 MB/s. */
    private static final long NANOS_OF_A_BYTE = 100;

    private final SocketChannel channel;
    private final LongSupplier nanoTime;
    private final ByteBuffer out = ByteBuffer.allocateDirect(ROOM);
    /** From position to limit: come, and not taken. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(ROOM).limit(0);

    private long patience = PATIENCE_NANOS;
    /** How long the peer was waited for since the patience began: what this end does itself takes none of it. */
    private long waited;
    /** Bytes of data since then; below 0: they do not renew the patience. */
    private long moved = -1;

    /** When the patience is over, while the peer is waited for. */
    private volatile long lateAt;

    private volatile boolean waits;
    private volatile long steppedAt;
    private volatile @Nullable String leaving;
    private volatile long leavingSince;
    private volatile boolean takesLeave;

    /** @param nanoTime a clock */
    CopyTalk(SocketChannel channel, LongSupplier nanoTime) {
        this.channel = channel;
        this.nanoTime = nanoTime;
        steppedAt = nanoTime.getAsLong();
    }

    SocketChannel channel() {
        return channel;
    }

    // ---- patience

    /** From now on the peer is waited for so long, in all and however many bytes it sends, until this is called again. */
    void within(long nanos) {
        patience = nanos;
        waited = 0;
        moved = -1;
        steppedAt = nanoTime.getAsLong(); // what was before is done
    }

    /** The peer has to sum up so many bytes before it answers. */
    void withinSum(long bytes) {
        within(PATIENCE_NANOS + Math.min(bytes, Long.MAX_VALUE / NANOS_OF_A_BYTE / 2) * NANOS_OF_A_BYTE);
    }

    /** From now on data move, {@link #LEAST_BYTES} in the time of patience at least. */
    void steadily() {
        within(PATIENCE_NANOS);
        moved = 0;
    }

    /** Bytes of a file have come, by this connection or beside it. */
    void moved(long bytes) {
        if (moved >= 0) {
            moved += bytes;
            if (moved >= LEAST_BYTES) {
                steadily();
            }
        }
    }

    /** {@return when the peer got on, by a request or by {@link #LEAST_BYTES}} Any thread. */
    long steppedAt() {
        return steppedAt;
    }

    /** {@return nanoseconds since the peer got on} Any thread. */
    long sinceStep() {
        return nanoTime.getAsLong() - steppedAt;
    }

    /** {@return whether the peer is waited for} Any thread. */
    boolean waits() {
        return waits;
    }

    /** Ends the connection if the peer is waited for too long. Any thread. */
    void endIfLate() {
        if (isLate()) {
            leaving = tooLate();
            end();
        }
    }

    private boolean isLate() {
        return waits && nanoTime.getAsLong() - lateAt > 0;
    }

    /** Has the one that takes end with that sentence, which the peer gets if it can take one, when it next looks at what came. Any thread. */
    void leave(String why) {
        leavingSince = nanoTime.getAsLong();
        leaving = why;
    }

    /** Has the peer leave if it is waited for too long, and ends the connection of one that should have left. Never waits; one thread, any. */
    void look() {
        if (leaving == null && isLate()) {
            leave(tooLate());
        }
        if (leaving != null && waits) {
            if (nanoTime.getAsLong() - leavingSince > FAREWELL_NANOS) {
                end();
            } else if (!takesLeave) {
                hearNoMore();
            }
        }
    }

    /** Who waits for more finds the end. */
    private void hearNoMore() {
        try {
            channel.shutdownInput();
        } catch (IOException e) {
            // It is closed, or its peer has gone.
        }
    }

    private String tooLate() {
        return "the other end has done nothing, or too little, for " + TimeUnit.NANOSECONDS.toSeconds(patience) + " s";
    }

    /** Ends the connection; who is in a call of this has an exception. Any thread. */
    void end() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is as closed as it can be.
        }
    }

    /** Throws if the connection is to end, or has: for who does something long. */
    void checkStays() throws IOException {
        String why = leaving;
        if (why != null && !takesLeave) {
            throw new IOException(why);
        }
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /** Something that waits for the peer. */
    @FunctionalInterface
    private interface Wait<T> {
        T run() throws IOException;
    }

    private <T> T waitFor(Wait<T> what) throws IOException {
        long began = nanoTime.getAsLong();
        lateAt = began + patience - waited;
        waits = true;
        try {
            return what.run();
        } catch (ClosedChannelException e) {
            String why = leaving;
            throw why == null ? e : new IOException(why, e);
        } finally {
            waits = false;
            waited += nanoTime.getAsLong() - began;
        }
    }

    // ---- to the peer; numbers and texts go with flush() at the latest

    CopyTalk put(int octet) throws IOException {
        room(Byte.BYTES);
        out.put((byte) octet);
        return this;
    }

    CopyTalk put(long number) throws IOException {
        room(Long.BYTES);
        out.putLong(number);
        return this;
    }

    CopyTalk put(byte[] bytes) throws IOException {
        room(bytes.length);
        out.put(bytes);
        return this;
    }

    CopyTalk put(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        room(Short.BYTES);
        out.putShort((short) bytes.length);
        return put(bytes);
    }

    private void room(int bytes) throws IOException {
        if (out.remaining() < bytes) {
            flush();
        }
    }

    void flush() throws IOException {
        out.flip();
        write(out);
        out.clear();
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            moved(waitFor(() -> channel.write(bytes)));
        }
    }

    /** Sends these at once, behind all that was put before. */
    void send(ByteBuffer bytes) throws IOException {
        flush();
        write(bytes);
    }

    /** Writes these into memory of the peer, behind all that was put before. */
    void sendTo(long offset, ByteBuffer bytes) throws IOException {
        flush();
        int length = bytes.remaining();
        waitFor(() -> JwarpSockets.write(channel, offset, bytes));
        moved(length);
    }

    // ---- from the peer

    /** {@return memory that the peer may write to, at offset 0} */
    SharedMemory share(ByteBuffer memory) throws IOException {
        return waitFor(() -> JwarpSockets.share(channel, memory, 0));
    }

    private int read(ByteBuffer into) throws IOException {
        int count = waitFor(() -> channel.read(into));
        checkStays();
        moved(count);
        return count;
    }

    /** {@return whether something has come, or the end} */
    boolean heard() throws IOException {
        return in.hasRemaining() || channel.socket().getInputStream().available() > 0;
    }

    /** {@return the next octet; -1: the peer has ended} */
    int takeOrEnd() throws IOException {
        if (!in.hasRemaining()) {
            int count = read(in.clear());
            in.flip();
            if (count < 0) {
                return -1;
            }
        }
        return in.get() & 0xFF;
    }

    int take() throws IOException {
        int octet = takeOrEnd();
        if (octet < 0) {
            throw new EOFException("the other end has closed the connection");
        }
        return octet;
    }

    long takeLong() throws IOException {
        return ByteBuffer.wrap(take(Long.BYTES)).getLong();
    }

    byte[] take(int bytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(bytes);
        take(all);
        return all.array();
    }

    /** {@return a text of so many bytes of UTF-8 at most} */
    String takeText(int most) throws IOException {
        int bytes = ByteBuffer.wrap(take(Short.BYTES)).getShort() & 0xFFFF;
        if (bytes > most) {
            throw new IOException("the other end sends a text of " + bytes + " bytes, and it may have " + most);
        }
        return new String(take(bytes), StandardCharsets.UTF_8);
    }

    /** Fills these, from position to limit. */
    void take(ByteBuffer bytes) throws IOException {
        if (in.hasRemaining()) {
            int count = Math.min(in.remaining(), bytes.remaining());
            bytes.put(bytes.position(), in, in.position(), count);
            bytes.position(bytes.position() + count);
            in.position(in.position() + count);
        }
        while (bytes.hasRemaining()) {
            if (read(bytes) < 0) {
                throw new EOFException("the other end has closed the connection");
            }
        }
    }

    /** Says no to the peer, and takes what still comes, for nothing: a connection that is closed before all is read is reset, and what was said last may not arrive. */
    void takeLeave(@Nullable String sentence) throws IOException {
        takesLeave = true;
        within(PATIENCE_NANOS);
        if (sentence != null) {
            put(CopyWire.REFUSED).put(CopyWire.sentence(sentence)).flush();
        }
        channel.shutdownOutput();
        in.clear();
        while (read(in) >= 0) {
            in.clear();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
