package com.ibm.disni.util;

/**
 * Replaces DiSNI's class of the same name, which sets the processors of a thread and needs the native library {@code
 * libdisni}. Java has no such call, so the system places threads; {@code taskset} can limit their processors.
 */
public final class NativeAffinity {
    private NativeAffinity() {}

    /**
     * Does nothing.
     *
     * @param affinity one bit for each processor
     */
    public static void setAffinity(long affinity) {}

    /** {@return one bit for each processor that the JVM may use} */
    public static long getAffinity() {
        int processors = Runtime.getRuntime().availableProcessors();
        return processors >= Long.SIZE ? -1 : (1L << processors) - 1;
    }
}
