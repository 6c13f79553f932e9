package dev.jwarp.benchmarks.datagram;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A JVM that runs one contender, a round for each line on its standard input: {@code OCTETS MILLIS} in, one line of
 * {@link Figures} out. Between rounds it sleeps, so that contenders take turns undisturbed.
 */
final class Worker {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** USER_HZ of Linux. */
    private static final long TICK_NANOS = 10_000_000;

    private Worker() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Pair pair = Pair.of(Setup.parse(arguments[0]))) {
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] part = line.split(" ", -1);
                long dropped = pair.dropped();
                long busy = busyNanos();
                long cpu = SYSTEM.getProcessCpuTime();
                long allocated = allocated();
                Figures figures = pair.round(Integer.parseInt(part[0]), Long.parseLong(part[1]) * 1_000_000);
                allocated = allocated() - allocated;
                cpu = SYSTEM.getProcessCpuTime() - cpu;
                busy = busyNanos() - busy;
                dropped = pair.dropped() - dropped;
                System.out.println(figures.withCosts(allocated, cpu, dropped, Math.max(0, busy - cpu))
                        .line());
            }
        }
        System.exit(0); // whatever event loops were left running
    }

    /** CPU time so far of all processes, from the first line of {@code /proc/stat}; 0 where the system does not tell. */
    private static long busyNanos() {
        try (BufferedReader in = Files.newBufferedReader(Path.of("/proc/stat"))) {
            String[] column = in.readLine().split(" +", -1);
            // cpu user nice system idle iowait irq softirq
            long ticks = 0;
            for (int i : new int[] {1, 2, 3, 6, 7}) {
                ticks += Long.parseLong(column[i]);
            }
            return ticks * TICK_NANOS;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Octets allocated so far by all live threads. */
    private static long allocated() {
        long sum = 0;
        for (long octets : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(0, octets);
        }
        return sum;
    }
}
