package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The figures of the pages for users are the figures that benchmarks/compare wrote into docs/measurements.md: a table
 * of docs/performance.md is made from them, and docs/when-to-use.md has no figures.
 */
@DisplayName("The figures for users")
class PerformancePageTest {
    private static final Path DOCS = Source.TOP.resolve("docs");
    private static final Path PAGE = DOCS.resolve("performance.md");
    private static final String BEGIN = "<!-- from here: made from measurements.md by PerformancePageTest -->\n";
    private static final String END = "<!-- to here -->\n";
    private static final Pattern FIGURE = Pattern.compile("\\d[\\d.,]* (µs|MB/s|thousand messages a second)");

    /** The table, with names of contenders of docs/measurements.md in the place of their medians. */
    private static final String TABLE = """

            | | jwarp | others |
            |---|---|---|
            | Round trip of 64 bytes, both ends spin | {Send} | Java NIO {Java NIO TCP}, C {C TCP} |
            | Round trip of 64 bytes, both ends spin, other libraries | {Send, beside tools} | UCX {UCX tag}, JUCX {JUCX tag}, libfabric {libfabric} (average), Aeron (UDP) {Aeron}, Netty {Netty echo} |
            | Round trip of 64 bytes, both ends block, one core | {Send, blocking read} (one connection), {Send, Selector} (several connections), {Send, Netty loop} (threaded) | Java NIO {Java NIO, blocking}, C {C TCP, blocking} |
            | Round trip of 64 bytes between event loops, one core | {Send, handlers, one core} (handlers) | Netty {Netty echo, one core}, C that waits with epoll {C TCP, epoll, one core}, C that blocks {C TCP, blocking, one core} |
            | Round trip of 64 bytes in datagrams, both ends spin | {UD Send} | Java NIO {Java NIO UDP}, C {C UDP} |
            | 99.9th percentile of round trips of 64 bytes, over a minute | {Send, a minute} | C {C TCP, a minute} |
            | Stream, messages of 64 KiB, checksum, one core | {Write 64 KiB} | Netty {Netty stream + CRC 64 KiB}, C {C TCP stream + CRC 64 KiB}, C that does what an RDMA Write must {C floor + CRC 64 KiB} |
            | Stream, messages of 64 KiB, no checksum, one core | {Write 64 KiB, no CRC} | Netty {Netty stream 64 KiB}, Java NIO {Java NIO stream 64 KiB}, C {C TCP stream 64 KiB} |
            | Stream, messages of 1 MiB, checksum, one core | {Write 1 MiB} | Netty {Netty stream + CRC 1 MiB}, C that does what an RDMA Write must {C floor + CRC 1 MiB} |
            | Stream, messages of 1 MiB, no checksum, one core | {Write 1 MiB, no CRC} | Netty that places them {Netty stream, placed 1 MiB}, C that places them {C TCP stream, placed 1 MiB} |
            | Stream, messages of 64 KiB, two cores | {Write, lists of 4, spinning} (lists of 4) | UCX put {UCX put}, UCX tag {UCX tag, streams}, libfabric write {libfabric write}, C without checksum {C TCP, spinning}, iperf3 {iperf3} |
            | Writes of 64 bytes in lists of 32, one core | {Writes, one core} | C that does the same work {C worker, one core} |
            | Stream of datagrams of 1,472 bytes, one core | {Write-Record, inline}, {Write-Record, threaded} (threaded) | Netty with GSO, no checksum {Netty GSO}, Java NIO without GSO {Java NIO UDP, without GSO} |
            | 1,000 connections, 1 KiB under way on each, one core | {Sends, 1,000 connections} | Netty {Netty, 1,000 connections} |
            | First message to each of 1,000 peers, with its answer, one core | {UD, cold peers: 1000} (datagrams) | {RC, cold peers: 1000} (connections, with their set-up) |

            """;

    @Test
    @DisplayName("of the page of performance are the measured ones")
    void table() throws IOException {
        Map<String, String> measured = measured();
        String table = Pattern.compile("\\{([^}]*)}").matcher(TABLE).replaceAll(name -> median(measured, name));
        String page = Files.readString(PAGE);
        String wanted = page.substring(0, page.indexOf(BEGIN)) + BEGIN + table + page.substring(page.indexOf(END));
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

    private static String median(Map<String, String> measured, MatchResult name) {
        assertThat(measured).containsKey(name.group(1));
        return measured.get(name.group(1));
    }

    /** {@return the medians by contender, with units for readers} */
    private static Map<String, String> measured() throws IOException {
        Map<String, String> all = new HashMap<>();
        boolean inside = false;
        for (String line : Files.readAllLines(DOCS.resolve("measurements.md"))) {
            inside = line.startsWith("|") && (inside || line.startsWith("| workload | contender |"));
            String[] cells = line.split("\\|", -1);
            if (inside && cells.length == 6) {
                String contender = cells[2].strip();
                // Two workloads have a contender with this name.
                boolean other = contender.equals("UCX tag") && cells[1].contains("Streams");
                String median = cells[4].strip().replaceAll(", .*", "");
                all.put(
                        other ? "UCX tag, streams" : contender,
                        median.replace(" us", " µs").replace(" kmsg/s", " thousand messages a second"));
            }
        }
        return all;
    }
}
