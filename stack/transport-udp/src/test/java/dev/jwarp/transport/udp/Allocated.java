package dev.jwarp.transport.udp;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The memory that a thread allocates. */
public final class Allocated {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocated() {}

    /**
     * {@return the least bytes that one run allocates in this thread} Runs until it allocates at most {@code enough}, as the
     * JVM may allocate in this thread sometimes.
     */
    public static long least(int runs, long enough, Runnable run) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < runs && least > enough; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
