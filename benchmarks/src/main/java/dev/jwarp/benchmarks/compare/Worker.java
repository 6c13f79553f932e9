package dev.jwarp.benchmarks.compare;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A JVM that runs one contender, one round for each line on its standard input: {@code MILLIS} in, one line of {@link
 * Figures} out. Between rounds it blocks in a read and uses no CPU time, so that the contenders take turns undisturbed.
 */
final class Worker {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Its first line; if it cannot run, a line with the reason replaces it. */
    static final String READY = "ready";

    static final String CANNOT = "cannot: ";

    private Worker() {}

    public static void main(String[] arguments) throws Exception {
        Arguments rest = Arguments.of(Arrays.asList(arguments).subList(1, arguments.length));
        try (Contender contender = open(arguments[0], rest)) {
            serve(contender);
        }
        System.exit(0); // a contender may have left threads running
    }

    /** Runs rounds until no further one is requested. */
    static void serve(Contender contender) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println(READY);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long nanos = Long.parseLong(line) * 1_000_000;
            long cpu = SYSTEM.getProcessCpuTime();
            long allocated = allocated();
            Contender.Sample sample = contender.round(nanos);
            allocated = allocated() - allocated;
            cpu = SYSTEM.getProcessCpuTime() - cpu;
            System.out.println(Figures.line(sample, allocated, cpu));
        }
    }

    private static Contender open(String name, Arguments arguments) throws Exception {
        try {
            return Contenders.open(name, arguments);
        } catch (Exception | LinkageError e) {
            System.out.println(CANNOT + String.valueOf(e.getMessage()).replace('\n', ' '));
            throw e;
        }
    }

    /** Bytes allocated so far by all live threads. */
    private static long allocated() {
        long sum = 0;
        for (long octets : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(0, octets);
        }
        return sum;
    }
}
