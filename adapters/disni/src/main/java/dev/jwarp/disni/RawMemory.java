package dev.jwarp.disni;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * Memory given by address and length only. From Java 22 on {@code java.lang.foreign} wraps it in a buffer; before, the
 * JDK's constructor for native code does. This class is compiled for Java 17, so it uses reflection. Any thread.
 */
final class RawMemory {
    private RawMemory() {}

    /**
     * {@return the memory as a buffer} The program owns the memory and must not free it while the buffer is used.
     *
     * @param address the address of the first byte
     * @param length the length in bytes
     * @throws IOException if the JVM does not allow this; the message names the option that does
     */
    static ByteBuffer at(long address, int length) throws IOException {
        if (address == 0 || length < 0) {
            throw new IOException("There is no memory of " + length + " bytes at the address " + address + ".");
        }
        try {
            return Runtime.version().feature() >= 22 ? segment(address, length) : internal(address, length);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IOException(
                    "Memory given by its address needs the option " + OPTION + ": start the JVM with it.", e);
        }
    }

    private static final String OPTION = Runtime.version().feature() >= 22
            ? "--enable-native-access=ALL-UNNAMED"
            : "--add-opens java.base/java.nio=ALL-UNNAMED";

    private static ByteBuffer segment(long address, long length) throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.lang.foreign.MemorySegment");
        Method ofAddress = type.getMethod("ofAddress", long.class);
        Method reinterpret = type.getMethod("reinterpret", long.class);
        Object sized = reinterpret.invoke(ofAddress.invoke(null, address), length);
        return (ByteBuffer) type.getMethod("asByteBuffer").invoke(sized);
    }

    private static ByteBuffer internal(long address, int length) throws ReflectiveOperationException {
        for (Constructor<?> one : Class.forName("java.nio.DirectByteBuffer").getDeclaredConstructors()) {
            Class<?>[] types = one.getParameterTypes();
            if (types.length == 2 && types[0] == long.class && (types[1] == int.class || types[1] == long.class)) {
                one.setAccessible(true);
                return (ByteBuffer)
                        (types[1] == int.class
                                ? one.newInstance(address, length)
                                : one.newInstance(address, (long) length));
            }
        }
        throw new NoSuchMethodException("java.nio.DirectByteBuffer(long, int)");
    }
}
