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

/** Numbers, texts and bytes through a channel that blocks; numbers are big-endian. One thread, and another one that looks whether the peer is waited for too long. */
final class CopyTalk implements AutoCloseable {
    private static final int ROOM = 1 << 16;

    /** So long the peer may do nothing while it is waited for. */
    static final long PATIENCE_NANOS = 60_000_000_000L;

    /** So much longer for each byte that it has to sum up: at 10 MB/s. */
    private static final long NANOS_OF_A_BYTE = 100;

    private final SocketChannel channel;
    private final LongSupplier nanoTime;
    private final ByteBuffer out = ByteBuffer.allocateDirect(ROOM);
    /** From position to limit: come, and not taken. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(ROOM).limit(0);

    /** Since when the peer is waited for, if it is. */
    private volatile long since;

    private volatile boolean waits;
    private volatile long patience = PATIENCE_NANOS;
    private volatile boolean late;

    /** @param nanoTime a clock */
    CopyTalk(SocketChannel channel, LongSupplier nanoTime) {
        this.channel = channel;
        this.nanoTime = nanoTime;
    }

    SocketChannel channel() {
        return channel;
    }

    // ---- patience

    /** The peer has to sum up so many bytes before it answers. */
    void awaitSum(long bytes) {
        patience = PATIENCE_NANOS + Math.min(bytes, Long.MAX_VALUE / NANOS_OF_A_BYTE / 2) * NANOS_OF_A_BYTE;
    }

    /** Ends the connection if the peer is waited for too long. Any thread. */
    void endIfLate() {
        if (waits && nanoTime.getAsLong() - since > patience) {
            late = true;
            end();
        }
    }

    /** Ends the connection; who is in a call of this has an exception. Any thread. */
    void end() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is as closed as it can be.
        }
    }

    /** Something that waits for the peer. */
    @FunctionalInterface
    private interface Wait<T> {
        T run() throws IOException;
    }

    private <T> T waitFor(Wait<T> what) throws IOException {
        since = nanoTime.getAsLong();
        waits = true;
        try {
            return what.run();
        } catch (ClosedChannelException e) {
            throw late
                    ? new IOException(
                            "the other end has done nothing for " + TimeUnit.NANOSECONDS.toSeconds(patience) + " s")
                    : e;
        } finally {
            waits = false;
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
            waitFor(() -> channel.write(bytes));
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
        waitFor(() -> JwarpSockets.write(channel, offset, bytes));
    }

    // ---- from the peer

    /** {@return memory that the peer may write to, at offset 0} */
    SharedMemory share(ByteBuffer memory) throws IOException {
        return waitFor(() -> JwarpSockets.share(channel, memory, 0));
    }

    private int read(ByteBuffer into) throws IOException {
        int count = waitFor(() -> channel.read(into));
        patience = PATIENCE_NANOS;
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

    /** Takes what still comes, for nothing. */
    void forget() throws IOException {
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
