package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The second message, a page's bytes, and the third, those of a cache line:
 *
 * <pre>
 *   0: number, big endian (4)
 * </pre>
 *
 * Each end goes on with the larger of the two numbers: the writer of small messages walks through one page of the peer's
 * memory in steps of a cache line, so the memory must have a page, whatever the size of a message.
 */
final class SizeMessage {
    static final int LENGTH = 4;
    static final int PAGE = 4096;
    static final int CACHE_LINE = 64;
    /** The largest page of any machine that Linux runs on is 256 KiB; beyond this the number is nonsense. */
    private static final int LARGEST = 1 << 24;

    private SizeMessage() {}

    /** Writes it from index 0 on. */
    static void write(ByteBuffer target, int size) {
        target.putInt(0, size);
    }

    /** {@return what is wrong with the message, for the user; null if it can be read} */
    static @Nullable String fault(ByteBuffer message, int length) {
        if (length != LENGTH) {
            return "a size has " + LENGTH + " bytes, this message has " + length;
        }
        int size = message.getInt(0);
        return size < 1 || size > LARGEST
                ? "a page or cache line of " + Integer.toUnsignedString(size) + " bytes cannot be"
                : null;
    }

    /** {@return the number; the message has no {@link #fault}} */
    static int read(ByteBuffer message) {
        return message.getInt(0);
    }
}
