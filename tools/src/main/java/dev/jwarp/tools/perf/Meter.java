package dev.jwarp.tools.perf;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the costs of a step: bytes of Java objects that the measured thread and the transport's threads allocate,
 * and processor time of the process. Used by the measured thread only.
 */
final class Meter {
    /** Prefix of the names of the transport's threads. */
    private static final String TRANSPORT = "jwarp-io";

    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final PerfWatch watch;
    private long[] others = new long[0];
    private long allocated;
    private long cpu;

    /** @param watch knows the bytes allocated for notes, which are not counted */
    Meter(PerfWatch watch) {
        this.watch = watch;
    }

    /** {@return bytes of objects that this thread has allocated so far} */
    static long ofThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Begins, and finds the transport's threads. */
    void begin() {
        List<Long> found = new ArrayList<>();
        for (ThreadInfo info : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (info != null && info.getThreadName().startsWith(TRANSPORT)) {
                found.add(info.getThreadId());
            }
        }
        others = found.stream().mapToLong(Long::longValue).toArray();
        cpu = SYSTEM.getProcessCpuTime();
        allocated = allocatedNow();
    }

    /** Ends. To be called directly after the measured code. */
    void end() {
        allocated = allocatedNow() - allocated;
        cpu = SYSTEM.getProcessCpuTime() - cpu;
    }

    private long allocatedNow() {
        long sum = ofThisThread() - watch.aside();
        for (long id : others) {
            sum += Math.max(0, THREADS.getThreadAllocatedBytes(id));
        }
        return sum;
    }

    /** {@return bytes between begin and end} */
    long allocated() {
        return allocated;
    }

    /** {@return nanoseconds between begin and end} */
    long cpuNanos() {
        return cpu;
    }
}
