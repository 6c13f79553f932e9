package dev.jwarp.tools.decode;

import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.ToolThreads;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads a capture that is still being written, until the command has to end. A separate thread opens and reads the
 * source, because both block on a pipe without data. Buffers at most {@value #MOST_CHUNKS} chunks. For one reader.
 */
final class LiveInput extends InputStream {
    private static final int CHUNK = 1 << 16;
    private static final int MOST_CHUNKS = 4;
    private static final long POLL_MILLIS = 50;

    /** Bytes from the thread, or the reason why it ended. */
    private record Chunk(byte[] bytes, int length, @Nullable IOException failure) {
        boolean isLast() {
            return length < 0;
        }
    }

    private final Interruption interruption;
    private final boolean grows;
    private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(MOST_CHUNKS);
    private volatile boolean closed;
    private Chunk chunk = new Chunk(new byte[0], 0, null);
    private int at;

    /**
     * Starts the thread that reads.
     *
     * @param source opened and closed by the thread that reads
     * @param grows whether to continue at the end of the source, because more may be written
     * @param interruption ends the input
     */
    LiveInput(Callable<InputStream> source, boolean grows, Interruption interruption) {
        this.grows = grows;
        this.interruption = interruption;
        ToolThreads.start("jwarp-decode-input", () -> readAll(source));
    }

    private void readAll(Callable<InputStream> source) {
        try (InputStream in = source.call()) {
            byte[] bytes = new byte[CHUNK];
            int length = in.read(bytes);
            while (!over() && (length >= 0 || grows)) {
                if (length > 0) {
                    put(new Chunk(bytes, length, null));
                    bytes = new byte[CHUNK];
                } else {
                    interruption.pause(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
                }
                length = in.read(bytes);
            }
            put(new Chunk(bytes, -1, null));
        } catch (IOException e) {
            put(new Chunk(new byte[0], -1, e));
        } catch (Exception e) {
            put(new Chunk(new byte[0], -1, new IOException(e)));
        }
    }

    private boolean over() {
        return closed || interruption.requested();
    }

    private void put(Chunk next) {
        try {
            while (!chunks.offer(next, POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                if (over()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        while (at == chunk.length && length > 0) {
            Chunk next = next();
            if (next == null) {
                return -1;
            }
            chunk = next;
            at = 0;
        }
        if (chunk.isLast()) {
            if (chunk.failure != null) {
                throw chunk.failure;
            }
            return -1;
        }
        int piece = Math.min(length, chunk.length - at);
        System.arraycopy(chunk.bytes, at, into, from, piece);
        at += piece;
        return piece;
    }

    /** {@return the next chunk; null if the command has to end before there is one} */
    private @Nullable Chunk next() throws IOException {
        try {
            Chunk next = chunks.poll();
            while (next == null && !interruption.requested()) {
                next = chunks.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the reading thread was interrupted", e);
        }
    }

    @Override
    public int available() {
        return chunk.isLast() ? 0 : chunk.length - at;
    }

    @Override
    public void close() {
        closed = true;
    }
}
