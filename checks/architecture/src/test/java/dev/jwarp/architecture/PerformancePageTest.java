package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The figures of the pages for users are the figures that benchmarks/compare wrote into docs/measurements.md. A table of
 * docs/performance.md has a column for each processor; the column of the processor of docs/measurements.md is made from
 * that page. docs/when-to-use.md has no figures.
 */
@DisplayName("The figures for users")
class PerformancePageTest {
    private static final Path DOCS = Source.TOP.resolve("docs");
    private static final Path PAGE = DOCS.resolve("performance.md");
    private static final String BEGIN = "<!-- from here: made from measurements.md by PerformancePageTest -->\n";
    private static final String END = "<!-- to here -->\n";
    private static final Pattern FIGURE = Pattern.compile("\\d[\\d.,]* (µs|MB/s|thousand messages a second)");

    private static final String AMBIGUOUS = "of two contenders with this name";

    /** The rows, with names of contenders, or goals, of docs/measurements.md in the place of medians and ratios. */
    private static final String ROWS = """
            | Round trip of 64 bytes, both ends spin | {Send}: {P5 Send / Java NIO} of Java NIO, {P5 Send / C} of C |
            | the same round trip, compared with other libraries | {P6 Send / UCX tag} of UCX, {P6 Send / JUCX tag} of JUCX, {P6 Send / libfabric, means} of libfabric, {P6 Send / Aeron} of Aeron (UDP) |
            | Round trip of 64 bytes, both ends block, one core | {Send, blocking read}: {P7 Send, blocking read / C} of C; in a selector {P7 Send, Selector / C} of C; threaded {P7 Send, Netty loop / C} of C |
            | Round trip of 64 bytes, handlers on event loops, one core | {Send, handlers, one core}: {P17 Send, handlers, one core / Netty echo} of Netty, {P17 Send, handlers, one core / C that waits with epoll} of C |
            | Round trip of 64 bytes in datagrams, both ends spin | {UD Send}: {P9 UD Send / Java NIO UDP} of Java NIO, {P9 UD Send / C UDP} of C |
            | 99.9th percentile of round trips of 64 bytes, over a minute | {Send, a minute}: {P13 Send / C, p99.9} of C |
            | Stream of 64 KiB, checksum, one core | {Write 64 KiB}: {P2 Write 64 KiB / Netty stream + CRC} of Netty with a checksum, {P2 Write 64 KiB / C floor + CRC} of C that does what an RDMA Write must |
            | Stream of 64 KiB, no checksum, one core | {Write 64 KiB, no CRC}: {P1 Write 64 KiB, no CRC / Netty stream} of Netty, {P1 Write 64 KiB, no CRC / C TCP stream} of C |
            | Stream of 1 MiB, checksum, one core | {Write 1 MiB}: {P2 Write 1 MiB / Netty stream + CRC} of Netty with a checksum, {P2 Write 1 MiB / C floor + CRC} of C that does what an RDMA Write must |
            | Stream of 64 KiB, lists of 4, two cores | {Write, lists of 4, spinning}: {P4 Write / UCX put} of UCX put, {P4 Write / libfabric write} of libfabric, {P4 Write / C TCP stream} of C without a checksum |
            | Writes of 64 bytes in lists of 32, one core | {Writes, one core}: {P8 Writes, one core / C that does the work} of C that does the same work |
            | Stream of datagrams of 1,472 bytes, one core | {Write-Record, inline}: {P10 Write-Record 64 KiB in datagrams of 1472 B / C floor of it} of C that does the same work |
            | 1,000 connections, 1 KiB under way on each, one core | {Sends, 1,000 connections}: {P14 Sends over 1,000 connections / Netty} of Netty |
            | First message to each of 1,000 peers, datagrams, one core | {UD, cold peers: 1000}: {P19 UD, cold peers: 1000 / RC} of connections, with their set-up |
            | S1: `SocketChannel`, blocking, round trip of 64 bytes, one core | {Sockets, blocking}: {S1 Sockets, blocking / JDK TCP} of JDK TCP, {S6 Sockets, blocking / verbs} of the verbs |
            | S2: `SocketChannel` in a selector, round trip of 64 bytes, one core | {Sockets, a selector}: {S2 Sockets, a selector / JDK TCP} of JDK TCP |
            | S3: Netty on jwarp, round trip of 64 bytes, one core | {Netty on jwarp}: {S3 Netty on jwarp / epoll} of Netty with epoll |
            | S4: `SocketChannel`, blocking, stream of 64 KiB, one core | {Sockets, 64 KiB}: {S4 Sockets, 64 KiB / JDK TCP} of JDK TCP, {S4 Sockets, 64 KiB / JDK TCP + CRC in the program} of JDK TCP with a checksum in the program, {S6 Sockets, 64 KiB / verbs} of the verbs |
            | S5: Netty on jwarp, stream of 64 KiB, one core | {Netty on jwarp, 64 KiB}: {S5 Netty on jwarp, 64 KiB / epoll + CRC in the handler} of Netty with epoll and a checksum |
            | S7: 1,000 channels in a selector, a round trip of 64 bytes on each in turn, one core | {Sockets, a selector of 1000 channels, each in turn}: {S7 Sockets, a selector of 1000 channels, each in turn / JDK TCP} of JDK TCP |
            | S8: `DatagramChannel`, blocking, round trip of 64 bytes, one core | {Datagrams on jwarp}: {S8 Datagrams on jwarp / JDK UDP} of JDK UDP |
            | S8: `DatagramChannel`, blocking, 1,400 bytes one way, one core | {Datagrams on jwarp, 1,400 B}: {S8 Datagrams on jwarp, 1,400 B / JDK UDP} of JDK UDP |
            """;

    @Test
    @DisplayName("of the page of performance are the measured ones, in the column of the processor")
    void table() throws IOException {
        List<String> measurements = Files.readAllLines(DOCS.resolve("measurements.md"));
        Map<String, String> measured = measured(measurements);
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        Map<String, Map<String, String>> columns = columns(page.substring(begin, page.indexOf(END)));
        Map<String, String> own = new LinkedHashMap<>();
        ROWS.lines().map(PerformancePageTest::cells).forEach(row -> {
            String cell = Pattern.compile("\\{([^}]*)}").matcher(row[1]).replaceAll(name -> figure(measured, name));
            own.put(row[0], cell);
        });
        columns.put(processor(measurements), own);
        String wanted = page.substring(0, begin) + table(own.keySet(), columns) + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, wanted);
        }
        assertThat(Files.readString(PAGE))
                .as(
                        "docs/performance.md is out of date: run mvn -pl checks/architecture -am test -Dtest=PerformancePageTest"
                                + " -Ddocs.write=true -Dsurefire.failIfNoSpecifiedTests=false")
                .isEqualTo(wanted);
    }

    @Test
    @DisplayName("are not in the page when-to-use.md, which links to that table")
    void whenToUse() throws IOException {
        assertThat(Files.readString(DOCS.resolve("when-to-use.md"))).doesNotContainPattern(FIGURE);
    }

    /** {@return the processor of the measurements, which begins the line before their tables} */
    private static String processor(List<String> measurements) {
        return measurements
                .get(measurements.indexOf("<!-- from here: made by benchmarks/compare -->") + 2)
                .replaceAll(",.*", "");
    }

    private static String[] cells(String row) {
        return Stream.of(row.substring(1).split("\\|")).map(String::strip).toArray(String[]::new);
    }

    /** {@return the columns of a table, by processor: their cells, by the label of the row} */
    private static Map<String, Map<String, String>> columns(String table) {
        List<String[]> rows = table.lines()
                .filter(line -> line.startsWith("| "))
                .map(PerformancePageTest::cells)
                .toList();
        Map<String, Map<String, String>> columns = new LinkedHashMap<>();
        for (int i = 1; i < rows.get(0).length; i++) {
            Map<String, String> column = new HashMap<>();
            for (String[] row : rows) {
                column.put(row[0], row[i]);
            }
            columns.put(column.remove(""), column);
        }
        return columns;
    }

    private static String table(Set<String> labels, Map<String, Map<String, String>> columns) {
        StringBuilder table = new StringBuilder("\n| | ").append(String.join(" | ", columns.keySet()));
        table.append(" |\n|---").append("|---".repeat(columns.size())).append("|\n");
        for (String label : labels) {
            table.append("| ").append(label);
            columns.values().forEach(column -> table.append(" | ").append(column.getOrDefault(label, "–")));
            table.append(" |\n");
        }
        return table.append('\n').toString();
    }

    private static String figure(Map<String, String> measured, MatchResult name) {
        assertThat(measured).containsKey(name.group(1));
        assertThat(measured.get(name.group(1))).as(name.group(1)).isNotEqualTo(AMBIGUOUS);
        return measured.get(name.group(1));
    }

    /** {@return medians by contender, with units for readers, and ratios by goal and comparison} */
    private static Map<String, String> measured(List<String> measurements) {
        Map<String, String> all = new HashMap<>();
        for (String line : measurements) {
            String[] cells = line.startsWith("| ") ? cells(line) : new String[0];
            if (cells.length == 4 && cells[2].startsWith("`")) {
                String median = cells[3].replaceAll(", .*", "");
                String figure = median.replace(" us", " µs").replace(" kmsg/s", " thousand messages a second");
                all.merge(cells[1], figure, (one, other) -> AMBIGUOUS);
            } else if (cells.length == 7 && cells[3].matches("[\\d.]+( .*)?")) {
                double ratio = Double.parseDouble(cells[3].replaceAll(" .*", ""));
                all.put(cells[0] + " " + cells[1], String.format(Locale.ROOT, "%.2f", ratio));
            }
        }
        return all;
    }
}
