package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * Memory whose pages may disappear: a mapped file that is truncated. Only copies made by Java survive a page fault,
 * with an InternalError; any other access, such as that of the checksum intrinsic, crashes the JVM. So such memory is
 * copied before use, and each copy is {@linkplain #settle settled} before its result is used. Stateless; any thread.
 */
public final class MappedMemory {
    /**
     * Not final, so that the compiler does not know the array size in {@link #settle} and cannot inline or remove the
     * allocation.
     */
    @SuppressWarnings("FieldMayBeFinal")
    private static int one = 1;

    private MappedMemory() {}

    /**
     * {@return whether a buffer is a non-empty buffer of {@code FileChannel.map}, or a view of one} Every direct buffer
     * is a MappedByteBuffer; only those of files check the range of a write-back.
     */
    public static boolean is(ByteBuffer buffer) {
        if (!(buffer instanceof MappedByteBuffer mapped)) {
            return false;
        }
        try {
            mapped.force(-1, 0); // writes nothing back, because the range is invalid
            return false;
        } catch (IndexOutOfBoundsException e) {
            return true;
        }
    }

    /**
     * Throws the pending InternalError if the preceding copy of this thread met a page fault. At a fault the JVM only
     * marks the thread; it throws when the thread next checks for pending exceptions, on Java 17 possibly much later.
     * The allocation of an array of arrays is always a call into the JVM, and every thread checks on the return from
     * such a call, in compiled code and in the interpreter.
     */
    public static void settle() {
        int size = one;
        if (new byte[size][size].length != size) {
            throw new AssertionError();
        }
    }
}
