package dev.jwarp.rnic.memory;

import dev.jwarp.rnic.progress.SegmentThreads;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits a {@code java.lang.foreign.MemorySegment} into direct buffers. That class exists only since Java 22, and this
 * code is compiled for 17; hence method handles. A buffer of a segment is bound to the segment's arena: after the arena
 * is closed, any access through Java throws an IllegalStateException without a read or write. Any thread.
 */
final class SegmentBuffers {
    /** Size in bytes of each buffer except the last. */
    static final long PIECE = 1L << 30;

    private static final @Nullable SegmentBuffers METHODS = find();

    private final Class<?> type;
    private final MethodHandle byteSize;
    private final MethodHandle isNative;
    private final SegmentThreads threads;
    private final MethodHandle asSlice;
    private final MethodHandle asByteBuffer;
    private final MethodHandle scope;
    private final MethodHandle isAlive;

    private SegmentBuffers(Class<?> type) throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> life = Class.forName("java.lang.foreign.MemorySegment$Scope");
        this.type = type;
        byteSize = lookup.findVirtual(type, "byteSize", MethodType.methodType(long.class));
        isNative = lookup.findVirtual(type, "isNative", MethodType.methodType(boolean.class));
        threads = new SegmentThreads(type);
        asSlice = lookup.findVirtual(type, "asSlice", MethodType.methodType(type, long.class, long.class));
        asByteBuffer = lookup.findVirtual(type, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
        scope = lookup.findVirtual(type, "scope", MethodType.methodType(life));
        isAlive = lookup.findVirtual(life, "isAlive", MethodType.methodType(boolean.class));
    }

    private static @Nullable SegmentBuffers find() {
        try {
            return new SegmentBuffers(Class.forName("java.lang.foreign.MemorySegment"));
        } catch (ReflectiveOperationException e) {
            return null; // an older Java
        }
    }

    /**
     * {@return the memory of a segment, as buffers of at most {@link #PIECE} bytes}
     *
     * @param longest permitted size of the segment in bytes
     * @throws RdmaException INVALID_ARGUMENT if {@code segment} is no segment, cannot be registered, or is longer
     */
    static List<ByteBuffer> of(Object segment, long longest) {
        SegmentBuffers methods = METHODS;
        if (methods == null || !methods.type.isInstance(segment)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A java.lang.foreign.MemorySegment was expected (Java 22 and later), not an object of "
                            + segment.getClass() + ".");
        }
        try {
            methods.check(segment, longest);
            return methods.cut(segment);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("These methods throw nothing else", e);
        }
    }

    private void check(Object segment, long longest) throws Throwable {
        if (!(boolean) isNative.invoke(segment)) {
            throw refused("it is in the Java heap. Take one of an arena, or of FileChannel.map");
        }
        if (!(boolean) isAlive.invoke(scope.invoke(segment))) {
            throw refused("its arena is closed");
        }
        if (!threads.all(segment)) {
            throw refused("its arena belongs to one thread. Take a shared or an automatic one");
        }
        long size = (long) byteSize.invoke(segment);
        if (size > longest) {
            throw refused("it has " + size + " bytes, a region at most " + longest);
        }
    }

    private static RdmaException refused(String why) {
        return new RdmaException(
                RdmaErrorCode.INVALID_ARGUMENT, "The memory segment cannot be registered: " + why + ".");
    }

    private List<ByteBuffer> cut(Object segment) throws Throwable {
        List<ByteBuffer> buffers = new ArrayList<>();
        long size = (long) byteSize.invoke(segment);
        long at = 0;
        do {
            long length = Math.min(PIECE, size - at);
            buffers.add((ByteBuffer) asByteBuffer.invoke(asSlice.invoke(segment, at, length)));
            at += length;
        } while (at < size);
        return buffers;
    }
}
