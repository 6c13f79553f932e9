package dev.jwarp.tools.loss;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** What the kernel's TCP has sent again, of all connections of this network namespace. */
final class TcpRepeats {
    /** As a counter of an end. */
    static final String NAME = "tcp_retransmitted_segments";

    private static final Path SNMP = Path.of("/proc/self/net/snmp");

    private TcpRepeats() {}

    /** {@return the number so far; 0 where it cannot be known} */
    static long soFar() {
        try {
            List<String> lines = Files.readAllLines(SNMP);
            for (int i = 0; i + 1 < lines.size(); i++) {
                int column = words(lines.get(i)).indexOf("RetransSegs");
                if (column >= 0) {
                    return Long.parseLong(words(lines.get(i + 1)).get(column));
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
        return 0;
    }

    private static List<String> words(String line) {
        return Arrays.asList(line.split(" ", -1));
    }
}
