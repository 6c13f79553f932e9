package dev.jwarp.rdmap.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The two Atomics on eight bytes of memory (RFC 7306 §5.1), and access to such words for programs. Values are in the
 * byte order of this machine. Each Atomic is atomic with respect to all other Atomics of this process, on any stream or
 * thread (§5.3).
 */
public final class AtomicMemory {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private AtomicMemory() {}

    /**
     * {@return the word at an index} A volatile read: never torn, and all writes before the word was set are visible.
     *
     * @param index of the 8 bytes; their address is a multiple of 8
     */
    public static long get(ByteBuffer memory, int index) {
        return (long) LONGS.getVolatile(memory, index);
    }

    /**
     * Writes a word. A volatile write: never torn, and ordered before or after every Atomic.
     *
     * @param index of the 8 bytes; their address is a multiple of 8
     */
    public static void set(ByteBuffer memory, int index, long value) {
        LONGS.setVolatile(memory, index, value);
    }

    /**
     * Replaces a word if it has the expected value. {@link #compareAndSwap} uses the same instruction, so if a program
     * and peers replace the same value, exactly one succeeds.
     *
     * @param index of the 8 bytes; their address is a multiple of 8
     * @return whether it was replaced
     */
    public static boolean compareAndSet(ByteBuffer memory, int index, long expected, long replacement) {
        return LONGS.compareAndSet(memory, index, expected, replacement);
    }

    /**
     * FetchAdd (RFC 7306 §5.1.1, EXT-5.1.1-1, EXT-5.1.1-2).
     *
     * @param index of the 8 bytes; their address is a multiple of 8
     * @param boundaries a bit for the top of each field; 0 is one field of 64 bits
     * @return the value before
     */
    public static long fetchAndAdd(ByteBuffer memory, int index, long addend, long boundaries) {
        while (true) {
            long old = (long) LONGS.getVolatile(memory, index);
            // EXT-5.3-1: atomic also against Atomics of other streams.
            if (LONGS.compareAndSet(memory, index, old, sum(old, addend, boundaries))) {
                return old;
            }
        }
    }

    /** {@return the sum of two values, field by field} The carry out of each field's top bit is dropped. */
    static long sum(long value, long addend, long boundaries) {
        // Without the top bits no field carries into the next field; a carry that reaches a top bit is the carry in of
        // that bit. The top bits are then added without carry.
        long belowTop = (value & ~boundaries) + (addend & ~boundaries);
        return belowTop ^ ((value ^ addend) & boundaries);
    }

    /**
     * CmpSwap (RFC 7306 §5.1.2, EXT-5.1.2-1).
     *
     * @param index of the 8 bytes; their address is a multiple of 8
     * @return the value before
     */
    public static long compareAndSwap(
            ByteBuffer memory, int index, long expected, long expectedMask, long newValue, long newValueMask) {
        while (true) {
            long old = (long) LONGS.getVolatile(memory, index);
            if (((expected ^ old) & expectedMask) != 0) {
                return old;
            }
            long changed = (old & ~newValueMask) | (newValue & newValueMask);
            if (LONGS.compareAndSet(memory, index, old, changed)) {
                return old;
            }
        }
    }

    /** Stores the result of our own Atomic, in the byte order of this machine, at any index of a big-endian buffer. */
    static void store(ByteBuffer memory, int index, long value) {
        memory.putLong(index, LITTLE_ENDIAN ? Long.reverseBytes(value) : value);
    }

    /** {@return the byte at a place, 0 to 7, of a number in the byte order of this machine} */
    static byte octet(long value, int place) {
        return (byte) (value >>> (Byte.SIZE * (LITTLE_ENDIAN ? place : Long.BYTES - 1 - place)));
    }
}
