package dev.jwarp.sockets.connection;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the memory of a direct buffer is, so that its slices and duplicates are known to be the same memory. The JDK tells it where jwarp's provider or agent is, for which the package
 * {@code sun.nio.ch} is exported, and from Java 22 on by {@code java.lang.foreign}; this is compiled for 17, hence method handles. Any thread.
 */
final class DirectAddress {
    /** The JDK does not tell. */
    static final long UNKNOWN = 0;

    private static final @Nullable MethodHandle OF_BYTE_0 = ofInternalBuffer();
    private static final @Nullable MethodHandle OF_POSITION = OF_BYTE_0 == null ? ofSegment() : null;

    private DirectAddress() {}

    private static @Nullable MethodHandle ofInternalBuffer() {
        try {
            return MethodHandles.lookup()
                    .findVirtual(Class.forName("sun.nio.ch.DirectBuffer"), "address", MethodType.methodType(long.class))
                    .asType(MethodType.methodType(long.class, ByteBuffer.class));
        } catch (ReflectiveOperationException e) {
            return null; // not exported to this module
        }
    }

    private static @Nullable MethodHandle ofSegment() {
        try {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            return MethodHandles.filterReturnValue(
                    lookup.findStatic(segment, "ofBuffer", MethodType.methodType(segment, java.nio.Buffer.class))
                            .asType(MethodType.methodType(segment, ByteBuffer.class)),
                    lookup.findVirtual(segment, "address", MethodType.methodType(long.class)));
        } catch (ReflectiveOperationException e) {
            return null; // an older Java
        }
    }

    /**
     * {@return the address of byte 0, or {@link #UNKNOWN}} As long as the buffer, or one of the same memory, can be reached, no other memory has it.
     *
     * @param buffer direct
     */
    static long of(ByteBuffer buffer) {
        try {
            if (OF_BYTE_0 != null) {
                return (long) OF_BYTE_0.invokeExact(buffer);
            }
            return OF_POSITION == null ? UNKNOWN : (long) OF_POSITION.invokeExact(buffer) - buffer.position();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("These methods throw nothing else", e);
        }
    }
}
