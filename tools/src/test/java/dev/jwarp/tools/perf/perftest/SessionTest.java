package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.perf.perftest.Ends.Found;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("perftest's exchange, both ends ours, over loopback")
class SessionTest {
    private Found server;
    private Found client;

    @ParameterizedTest
    @EnumSource(PerftestProgram.class)
    @DisplayName("every program runs to its end at both ends")
    void everyProgramRunsToItsEndAtBothEnds(PerftestProgram program) throws Exception {
        run(Ends.settings(program, 600, 4096), Map.of(), Map.of());

        String told = program.latency() ? "600 of 4096, " + samples(program, 600) + " samples" : "600 of 4096";
        assertThat(client.lines).containsExactly(told);
        assertThat(server.lines)
                .isEqualTo(
                        switch (program) {
                            case WRITE_BW, READ_BW -> java.util.List.of("reported: 600 of 4096");
                            case READ_LAT -> java.util.List.of();
                            case SEND_BW, WRITE_LAT, SEND_LAT -> client.lines;
                        });
    }

    /** A sample is from one posting to the next, where two of them are; a Read's ends by itself. */
    private static long samples(PerftestProgram program, long messages) {
        return program.halved() ? messages - 1 : messages;
    }

    @ParameterizedTest(name = "{0}: server {1}, client {2}")
    @CsvSource({
        "WRITE_BW, threaded, inline",
        "SEND_BW, threaded, threaded",
        "SEND_BW, inline, threaded",
        "WRITE_LAT, threaded, threaded",
        "SEND_LAT, inline, threaded",
        "READ_LAT, threaded, inline"
    })
    @DisplayName("either way of progress will do")
    void eitherWayOfProgressWillDo(PerftestProgram program, String servers, String clients) throws Exception {
        run(Ends.settings(program, 50, 64), Map.of("jwarp.progress", servers), Map.of("jwarp.progress", clients));

        assertThat(client.lines).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(PerftestProgram.class)
    @DisplayName("the smallest message alone is enough")
    void smallestMessageAloneIsEnough(PerftestProgram program) throws Exception {
        run(Ends.settings(program, 1, 1), Map.of(), Map.of());

        assertThat(client.lines).hasSize(1).allMatch(line -> line.startsWith("1 of 1"));
    }

    @ParameterizedTest
    @EnumSource(PerftestProgram.class)
    @DisplayName("all sizes go one after the other")
    void allSizesGoOneAfterOther(PerftestProgram program) throws Exception {
        Integer[] sizes = IntStream.rangeClosed(1, 17).map(i -> 1 << i).boxed().toArray(Integer[]::new);
        run(Ends.settings(program, 30, sizes), Map.of(), Map.of());

        assertThat(client.lines).hasSize(17);
        assertThat(client.lines.get(16)).startsWith("30 of 131072");
    }

    @ParameterizedTest(name = "{0} messages, {1} receives")
    @CsvSource({"1000, 3", "1000, 7", "2, 2", "999, 1"})
    @DisplayName("credits keep the sender behind the receiver")
    void creditsKeepSenderBehindReceiver(int messages, int receives) throws Exception {
        PerftestSettings usual = Ends.settings(PerftestProgram.SEND_BW, messages, 2048, 64);
        PerftestSettings few = new PerftestSettings(
                usual.program(),
                usual.sizes(),
                messages,
                usual.sendDepth(),
                receives,
                usual.signalEvery(),
                -1,
                Ends.LIMIT,
                Ends.LIMIT,
                usual.interval());
        run(few, Map.of(), Map.of());

        assertThat(server.lines).containsExactly(messages + " of 2048", messages + " of 64");
    }

    private void run(PerftestSettings settings, Map<String, String> servers, Map<String, String> clients)
            throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        CompletableFuture<Found> serving = Ends.server(settings, servers, address);
        client = Ends.client(settings, clients, Ends.soon(address));
        server = Ends.soon(serving);
        assertThat(client.failure()).isNull();
        assertThat(server.failure()).isNull();
    }
}
