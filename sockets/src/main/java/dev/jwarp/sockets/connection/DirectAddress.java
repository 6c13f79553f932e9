package dev.jwarp.sockets.connection;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The address of the memory of a direct buffer, by which slices and duplicates of a buffer are recognized. The address
 * comes from {@code sun.nio.ch}, if the JVM exports that package, as jwarp's provider and agent require, or else, from
 * Java 22 on, from {@code java.lang.foreign}. The class is compiled for Java 17 and therefore uses method handles. Any
 * thread.
 */
final class DirectAddress {
    /** The address is not accessible. */
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
     * {@return the address of byte 0, or {@link #UNKNOWN}} No other memory has this address while the buffer, or
     * another buffer of the same memory, is reachable.
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
