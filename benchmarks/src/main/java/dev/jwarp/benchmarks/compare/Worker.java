package dev.jwarp.benchmarks.compare;

import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/**
 * A JVM that runs one contender, a round for each line on its standard input: {@code MILLIS} in, one line of figures
 * out. Between rounds it waits in a read and costs nothing, so that the contenders take turns undisturbed.
 */
final class Worker {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Worker() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Contender contender = Contenders.open(arguments[0])) {
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                long nanos = Long.parseLong(line) * 1_000_000;
                long cpuBefore = processCpuNanos();
                long allocatedBefore = allocated();
                Contender.Sample sample = contender.round(nanos);
                long allocated = allocated() - allocatedBefore;
                long cpu = processCpuNanos() - cpuBefore;
                System.out.println(sample.operations() + "\t" + sample.octets() + "\t" + sample.nanos() + "\t"
                        + sample.median() + "\t" + sample.p99() + "\t" + allocated + "\t" + cpu);
            }
        }
        System.exit(0); // whatever a contender left running
    }

    /** Octets allocated so far by all live threads. */
    private static long allocated() {
        long sum = 0;
        for (long octets : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(0, octets);
        }
        return sum;
    }

    private static long processCpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
