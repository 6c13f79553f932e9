package dev.jwarp.benchmarks.memory;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Memory in use at one moment, in bytes.
 *
 * @param heap Java heap after garbage collections
 * @param direct direct and mapped buffers
 * @param kernel memory for sockets, files and epoll entries of the whole system; 0 if the system does not report it
 */
record Footprint(long heap, long direct, long kernel) {
    /** Kinds of kernel objects for sockets; directory entries are left out, because all files have them. */
    private static final Set<String> KINDS =
            Set.of("TCP", "TCPv6", "UDP", "UDPv6", "sock_inode_cache", "filp", "eventpoll_epi", "eventpoll_pwq");

    private static final int COLLECTIONS = 4;

    /** {@return the memory in use now} */
    static Footprint now() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new Footprint(runtime.totalMemory() - runtime.freeMemory(), direct, kernelOctets());
    }

    /** Linux reports to root: name, active objects, all objects, size of one. */
    private static long kernelOctets() {
        try {
            return Files.readAllLines(Path.of("/proc/slabinfo")).stream()
                    .map(line -> line.split("\\s+", -1))
                    .filter(column -> KINDS.contains(column[0]))
                    .mapToLong(column -> Long.parseLong(column[1]) * Long.parseLong(column[3]))
                    .sum();
        } catch (IOException e) {
            return 0;
        }
    }

    String line() {
        return heap + "\t" + direct + "\t" + kernel;
    }

    static Footprint parse(String line) {
        String[] part = line.split("\t", -1);
        if (part.length != 3) {
            throw new IllegalStateException(
                    "no footprint, but: " + Arrays.stream(part).collect(Collectors.joining(" ")));
        }
        return new Footprint(Long.parseLong(part[0]), Long.parseLong(part[1]), Long.parseLong(part[2]));
    }

    /** {@return the difference to {@code other}, divided by {@code count}} */
    Footprint perPiece(Footprint other, int count) {
        return new Footprint(
                (heap - other.heap) / count, (direct - other.direct) / count, (kernel - other.kernel) / count);
    }
}
