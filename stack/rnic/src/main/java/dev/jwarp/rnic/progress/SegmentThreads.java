package dev.jwarp.rnic.progress;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Checks which threads may use a {@code java.lang.foreign.MemorySegment}, because any thread may copy its bytes. That
 * class exists only since Java 22, and this code is compiled for 17; hence a method handle. Any thread.
 */
public final class SegmentThreads {
    private final MethodHandle isAccessibleBy;

    /**
     * @param type the class {@code MemorySegment}
     * @throws ReflectiveOperationException if that class has no suitable method
     */
    public SegmentThreads(Class<?> type) throws ReflectiveOperationException {
        isAccessibleBy = MethodHandles.publicLookup()
                .findVirtual(type, "isAccessibleBy", MethodType.methodType(boolean.class, Thread.class));
    }

    /** {@return whether every thread may use the segment} Checked with a new thread, which has no special access. */
    public boolean all(Object segment) {
        try {
            return (boolean) isAccessibleBy.invoke(segment, new Thread(() -> {}));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("It throws nothing else", e);
        }
    }
}
