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

/**
 * Sends and receives numbers (big-endian), texts and bytes through a blocking channel, with time limits for the peer.
 * One thread uses the connection, and another thread checks whether the peer is late.
 */
final class CopyTalk implements AutoCloseable {
    private static final int ROOM = 1 << 16;

    /** Longest time to wait for the peer's next step. */
    static final long PATIENCE_NANOS = 60_000_000_000L;

    /** Longest time for a whole request, even if its bytes arrive one by one. */
    static final long REQUEST_NANOS = 10_000_000_000L;

    /** Least number of bytes of data that have to be transferred within {@link #PATIENCE_NANOS}. */
    static final int LEAST_BYTES = 1 << 16;

    /** Time to send the reason for leaving, and to read the rest of the peer's data. */
    private static final long FAREWELL_NANOS = 2_000_000_000L;

    /** Additional time for each byte that the peer sums up: 10 MB/s. */
    private static final long NANOS_OF_A_BYTE = 100;

    private final SocketChannel channel;
    private final LongSupplier nanoTime;
    private final ByteBuffer out = ByteBuffer.allocateDirect(ROOM);
    /** From position to limit: received bytes that are not yet taken. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(ROOM).limit(0);

    private long patience = PATIENCE_NANOS;
    /** Time spent waiting for the peer since the patience began. Work of this end does not count. */
    private long waited;
    /** Bytes of data since then; below 0 if data does not renew the patience. */
    private long moved = -1;

    /** The end of the patience; valid while {@link #waits}. */
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

    /** Gives the peer so much time in total, however many bytes it sends, until the next call. */
    void within(long nanos) {
        patience = nanos;
        waited = 0;
        moved = -1;
        steppedAt = nanoTime.getAsLong(); // the step before is done
    }

    /** Gives the peer time to sum up so many bytes before it answers. */
    void withinSum(long bytes) {
        within(PATIENCE_NANOS + Math.min(bytes, Long.MAX_VALUE / NANOS_OF_A_BYTE / 2) * NANOS_OF_A_BYTE);
    }

    /** Requires at least {@link #LEAST_BYTES} of data within {@link #PATIENCE_NANOS}, again and again. */
    void steadily() {
        within(PATIENCE_NANOS);
        moved = 0;
    }

    /** Counts bytes of a file that were transferred through this connection or by RDMA Write. */
    void moved(long bytes) {
        if (moved >= 0) {
            moved += bytes;
            if (moved >= LEAST_BYTES) {
                steadily();
            }
        }
    }

    /** {@return the time of the peer's last progress: a request or {@link #LEAST_BYTES} of data} Any thread. */
    long steppedAt() {
        return steppedAt;
    }

    /** {@return nanoseconds since the peer's last progress} Any thread. */
    long sinceStep() {
        return nanoTime.getAsLong() - steppedAt;
    }

    /** {@return whether this end waits for the peer} Any thread. */
    boolean waits() {
        return waits;
    }

    /** Closes the connection if the peer is late. Any thread. */
    void endIfLate() {
        if (isLate()) {
            leaving = tooLate();
            end();
        }
    }

    private boolean isLate() {
        return waits && nanoTime.getAsLong() - lateAt > 0;
    }

    /**
     * Asks the receiver to end at its next read. The receiver sends the sentence to the peer, if the peer is known to
     * be a sender. Any thread.
     */
    void leave(String why) {
        leavingSince = nanoTime.getAsLong();
        leaving = why;
    }

    /**
     * Asks the receiver to end if the peer is late, and closes the connection if the receiver has not ended in time.
     * Never waits. One thread, which may be any.
     */
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

    /** Makes a blocked read return the end of the stream. */
    private void hearNoMore() {
        try {
            channel.shutdownInput();
        } catch (IOException e) {
            // The connection is closed already.
        }
    }

    private String tooLate() {
        return "the other end has made too little progress for " + TimeUnit.NANOSECONDS.toSeconds(patience) + " s";
    }

    /** Closes the connection. Blocked calls of this object throw. Any thread. */
    void end() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing else can be done.
        }
    }

    /** Throws if the connection has ended or has to end. For long work without reads. */
    void checkStays() throws IOException {
        String why = leaving;
        if (why != null && !takesLeave) {
            throw new IOException(why);
        }
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /** An operation that waits for the peer. */
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

    // ---- to the peer; numbers and texts are sent by flush() at the latest

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

    /** Sends these bytes at once, after everything that was put before. */
    void send(ByteBuffer bytes) throws IOException {
        flush();
        write(bytes);
    }

    /** Writes these bytes into the peer's memory, after everything that was put before. */
    void sendTo(long offset, ByteBuffer bytes) throws IOException {
        flush();
        int length = bytes.remaining();
        waitFor(() -> JwarpSockets.write(channel, offset, bytes));
        moved(length);
    }

    // ---- from the peer

    /** {@return the memory, registered so that the peer may write to it at offset 0} */
    SharedMemory share(ByteBuffer memory) throws IOException {
        return waitFor(() -> JwarpSockets.share(channel, memory, 0));
    }

    private int read(ByteBuffer into) throws IOException {
        int count = waitFor(() -> channel.read(into));
        checkStays();
        moved(count);
        return count;
    }

    /** {@return whether data or the end of the stream has arrived} */
    boolean heard() throws IOException {
        return in.hasRemaining() || channel.socket().getInputStream().available() > 0;
    }

    /** {@return the next byte; -1 at the end of the stream} */
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

    /** {@return a text of at most so many bytes of UTF-8} */
    String takeText(int most) throws IOException {
        int bytes = ByteBuffer.wrap(take(Short.BYTES)).getShort() & 0xFFFF;
        if (bytes > most) {
            throw new IOException("the other end sends a text of " + bytes + " bytes; the limit is " + most);
        }
        return new String(take(bytes), StandardCharsets.UTF_8);
    }

    /** Fills the buffer, from position to limit. */
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

    /**
     * Sends a refusal, if there is a sentence, and discards the rest of the peer's data. TCP resets a connection that
     * is closed with unread data, so the refusal might not arrive.
     */
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
