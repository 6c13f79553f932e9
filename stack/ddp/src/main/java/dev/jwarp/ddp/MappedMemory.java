package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * Memory whose pages may go away beneath a program: a mapped file that becomes shorter. Only Java's own copies survive a
 * fault there, by an InternalError; what reads it otherwise, as the checksum does, takes the JVM down. So it is copied before
 * it is used, and each copy is {@linkplain #settle settled} before anything is made of it. Stateless; any thread.
 */
public final class MappedMemory {
    /**
     * Not final, so that {@link #settle} asks for an array whose size a compiler does not know: one of known size it makes
     * itself, or leaves out.
     */
    @SuppressWarnings("FieldMayBeFinal")
    private static int one = 1;

    private MappedMemory() {}

    /**
     * {@return whether a buffer is, or is a view of, what {@code FileChannel.map} gave, and is not empty} Every direct buffer
     * is of the class MappedByteBuffer; only those of files look at the range that they are to write back.
     */
    public static boolean is(ByteBuffer buffer) {
        if (!(buffer instanceof MappedByteBuffer mapped)) {
            return false;
        }
        try {
            mapped.force(-1, 0); // writes nothing back: there is no such range
            return false;
        } catch (IndexOutOfBoundsException e) {
            return true;
        }
    }

    /**
     * Throws the InternalError of a copy that this thread has made just before and that met a fault. The JVM marks the thread at
     * a fault, and throws only when the thread next looks, on Java 17 long afterwards. An array of arrays is always made by
     * the JVM itself, and on the way back from there every thread looks, in compiled code and in the interpreter.
     */
    public static void settle() {
        int size = one;
        if (new byte[size][size].length != size) {
            throw new AssertionError();
        }
    }
}
