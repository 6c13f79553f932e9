package dev.jwarp.benchmarks.datagram;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Datagrams that Linux dropped because a socket's receive buffer was full: last column of {@code /proc/net/udp}. */
final class KernelDrops {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));

    private KernelDrops() {}

    /** {@return drops so far of all sockets bound to that port; 0 where the system does not tell} */
    static long atPort(int port) {
        String local = String.format(Locale.ROOT, ":%04X", port);
        long drops = 0;
        for (Path table : TABLES) {
            try {
                for (String line : Files.readAllLines(table)) {
                    String[] column = line.strip().split("\\s+", -1);
                    if (column.length > 2 && column[1].endsWith(local)) {
                        drops += Long.parseLong(column[column.length - 1]);
                    }
                }
            } catch (IOException e) {
                return 0; // not Linux
            }
        }
        return drops;
    }
}
