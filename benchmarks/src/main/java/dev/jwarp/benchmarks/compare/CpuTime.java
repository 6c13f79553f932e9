package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * CPU time in nanoseconds so far, of which only differences are meaningful. From Linux's {@code /proc}, in ticks of 10
 * ms; 0 on other systems.
 */
final class CpuTime {
    private static final long TICK_NANOS = 10_000_000;
    private static final long KERNEL = 2;
    // Fields of /proc/PID/stat after the name in parentheses.
    private static final int PARENT = 1;
    private static final int USER = 11;
    private static final int OF_ENDED_CHILDREN = 13;
    private static final int BEHIND_TIMES = 15;
    private static final int STEAL = 8;

    private CpuTime() {}

    /**
     * {@return the CPU time of foreign processes, and the steal time of the hypervisor: both disturb a measurement}
     *
     * <p>The kernel's own threads are left out: they may work for the contenders.
     */
    static long ofOthers() {
        Set<Long> ours = new HashSet<>();
        ours.add(ProcessHandle.current().pid());
        ProcessHandle.current().descendants().forEach(process -> ours.add(process.pid()));
        long ticks = stolen();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (!ours.contains(pid) && pid != KERNEL) {
                    ticks += ticks(process, BEHIND_TIMES);
                }
            }
        } catch (IOException e) {
            return 0; // not Linux
        }
        return ticks * TICK_NANOS;
    }

    /** {@return the CPU time of the compiler threads of a JVM, and of its child processes} */
    static long ofCompilers(ProcessHandle jvm) {
        return Stream.concat(Stream.of(jvm), jvm.descendants())
                .mapToLong(CpuTime::ofCompilersAlone)
                .sum();
    }

    private static long ofCompilersAlone(ProcessHandle jvm) {
        long ticks = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", String.valueOf(jvm.pid()), "task"))) {
            for (Path thread : threads) {
                ticks += compiles(thread) ? ticks(thread, OF_ENDED_CHILDREN) : 0;
            }
        } catch (IOException e) {
            return 0; // not Linux, or the process has ended
        }
        return ticks * TICK_NANOS;
    }

    private static boolean compiles(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).startsWith(" CompilerThre", 2); // C1 or C2
        } catch (IOException e) {
            return false; // the thread has ended
        }
    }

    /**
     * {@return the ticks of a process or a thread}
     *
     * @param end the field behind the last one that counts. The time of ended children counts for a process: otherwise
     *     a child that ends meanwhile would count negatively.
     */
    private static long ticks(Path of, int end) {
        try {
            String line = Files.readString(of.resolve("stat"));
            String[] field = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            if (Long.parseLong(field[PARENT]) == KERNEL) {
                return 0;
            }
            long sum = 0;
            for (int i = USER; i < end; i++) {
                sum += Long.parseLong(field[i]);
            }
            return sum;
        } catch (IOException e) {
            return 0; // the process has ended
        }
    }

    private static long stolen() {
        try {
            String first = Files.readAllLines(Path.of("/proc/stat")).get(0);
            return Long.parseLong(first.split(" +", -1)[STEAL]);
        } catch (IOException e) {
            return 0;
        }
    }
}
