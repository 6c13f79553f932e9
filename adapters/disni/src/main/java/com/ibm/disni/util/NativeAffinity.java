package com.ibm.disni.util;

/**
 * Which processors a thread runs on, in place of DiSNI's own class of that name, which needs the native library {@code libdisni}. Java has no call for that: threads stay where the system
 * puts them; {@code taskset} says where that may be.
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
