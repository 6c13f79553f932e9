package dev.jwarp.rnic.progress;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Which threads may use a {@code java.lang.foreign.MemorySegment}: who moves bytes is any thread. The class is there
 * from Java 22 on, and this is compiled for 17: hence a method handle. Any thread.
 */
public final class SegmentThreads {
    private final MethodHandle isAccessibleBy;

    /**
     * For all segments.
     *
     * @param type their class
     * @throws ReflectiveOperationException if it is another one than expected
     */
    public SegmentThreads(Class<?> type) throws ReflectiveOperationException {
        isAccessibleBy = MethodHandles.publicLookup()
                .findVirtual(type, "isAccessibleBy", MethodType.methodType(boolean.class, Thread.class));
    }

    /** {@return whether every thread may use it: one may that it has never seen} */
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
