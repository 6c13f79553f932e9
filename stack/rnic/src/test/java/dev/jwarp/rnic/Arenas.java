package dev.jwarp.rnic;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.junit.jupiter.api.Assumptions;

/** Arenas and memory segments of Java 22 and later, for tests that are compiled for 17. */
final class Arenas {
    private Arenas() {}

    static boolean there() {
        return Runtime.version().feature() >= 22;
    }

    static void assumed() {
        Assumptions.assumeTrue(there(), "arenas need Java 22");
    }

    /** {@return an arena: ofShared, ofConfined, ofAuto or global} Only the first two can be closed. */
    static AutoCloseable arena(String kind) {
        return (AutoCloseable) call(type("Arena"), null, kind);
    }

    /** {@return new page-aligned memory of an arena} */
    static Object allocate(AutoCloseable arena, long length) {
        return call(type("Arena"), arena, "allocate", length, 4096L);
    }

    /** {@return a mapped file, extended to that length} */
    static Object map(AutoCloseable arena, FileChannel file, FileChannel.MapMode mode, long length) throws IOException {
        try {
            return FileChannel.class
                    .getMethod("map", FileChannel.MapMode.class, long.class, long.class, type("Arena"))
                    .invoke(file, mode, 0L, length, arena);
        } catch (InvocationTargetException e) {
            throw new IOException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.toString(), e);
        }
    }

    static Object ofArray(byte[] array) {
        return call(type("MemorySegment"), null, "ofArray", (Object) array);
    }

    static Object readOnly(Object segment) {
        return call(type("MemorySegment"), segment, "asReadOnly");
    }

    static ByteBuffer buffer(Object segment) {
        return (ByteBuffer) call(type("MemorySegment"), segment, "asByteBuffer");
    }

    static void close(AutoCloseable arena) {
        try {
            arena.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName("java.lang.foreign." + name);
        } catch (ClassNotFoundException e) {
            throw new LinkageError(e.toString(), e);
        }
    }

    private static Object call(Class<?> type, Object of, String name, Object... arguments) {
        Class<?>[] types = new Class<?>[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            types[i] = arguments[i] instanceof Long ? long.class : arguments[i].getClass();
        }
        try {
            return type.getMethod(name, types).invoke(of, arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.toString(), e);
        }
    }
}
