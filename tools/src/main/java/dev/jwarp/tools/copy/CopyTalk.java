package dev.jwarp.tools.copy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Numbers, texts and bytes through a channel that blocks; numbers are big-endian. One thread. */
final class CopyTalk implements AutoCloseable {
    private static final int ROOM = 1 << 16;

    private final SocketChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(ROOM);
    /** From position to limit: come, and not taken. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(ROOM).limit(0);

    CopyTalk(SocketChannel channel) {
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
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
        while (out.hasRemaining()) {
            channel.write(out);
        }
        out.clear();
    }

    /** Sends these at once, behind all that was put before. */
    void send(ByteBuffer bytes) throws IOException {
        flush();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    // ---- from the peer

    /** {@return whether something has come, or the end} */
    boolean heard() throws IOException {
        return in.hasRemaining() || channel.socket().getInputStream().available() > 0;
    }

    /** {@return the next octet; -1: the peer has ended} */
    int takeOrEnd() throws IOException {
        if (!in.hasRemaining()) {
            int count = channel.read(in.clear());
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
            if (channel.read(bytes) < 0) {
                throw new EOFException("the other end has closed the connection");
            }
        }
    }

    /** Takes what still comes, for nothing. */
    void forget() throws IOException {
        in.clear();
        while (channel.read(in) >= 0) {
            in.clear();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
