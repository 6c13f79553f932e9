package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.perf.perftest.Ends.Found;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("perftest's exchange with a peer that does not keep to it")
class StrangerTest {
    @ParameterizedTest(name = "message {0} of {1} bytes")
    @CsvSource({
        "1, 8, page size",
        "2, 2, cache line size",
        "3, 1, MTU",
        "4, 55, word that it is ready for the second connection",
        "6, 16, description of its memory",
        "9, 8, word that it is done",
        "10, 4, report",
        "15, 16, good-bye"
    })
    @DisplayName("a message of another length ends the server with 4")
    void messageOfAnotherLengthEndsServerWith4(int number, int length, String awaited) throws Exception {
        List<byte[]> messages = new ArrayList<>(RecordedTest.said("client"));
        messages.set(number, new byte[length]);
        ToolFailure failure = serverWith(messages);

        assertThat(failure.status()).isEqualTo(ExitStatus.MISMATCH);
        assertThat(failure.sentence()).contains("instead of its " + awaited + ": ");
        assertThat(failure.details()).anyMatch(line -> line.contains("-R?"));
    }

    @ParameterizedTest
    @CsvSource({
        "15, '', 'instead of its version of perftest: a version has 16 bytes, this message has 15'",
        "0, '', 'instead of its version of perftest: a version has 16 bytes, this message has 0'",
        "16, 5.33, 'perftest 5.33 has another exchange'",
        "-1, '', 'closed the connection before its version of perftest'"
    })
    @DisplayName("a client that does not begin with a version is turned away and the next is served")
    void clientThatDoesNotBegin(int length, String text, String said) throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        Run voice = Run.later("server");
        CompletableFuture<Found> serving =
                Ends.server(Ends.settings(PerftestProgram.WRITE_BW, 5, 64), Map.of(), address, voice.console());
        List<byte[]> first = new ArrayList<>();
        if (length >= 0) {
            byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
            first.add(Arrays.copyOf(octets, length));
        }
        Script.client(Ends.soon(address), first);
        Script.client(Ends.soon(address), RecordedTest.said("client"));
        Found server = Ends.soon(serving);

        assertThat(server.failure()).isNull();
        assertThat(server.lines).containsExactly("reported: 5 of 64");
        assertThat(voice.err()).contains("refused a client: ").contains(said);
    }

    @ParameterizedTest
    @CsvSource({"1", "4", "8", "12"})
    @DisplayName("a client that leaves ends the server with 1 and what was missing")
    void clientThatLeavesEndsServer(int messages) throws Exception {
        ToolFailure failure = serverWith(RecordedTest.said("client").subList(0, messages));

        assertThat(failure.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(failure.sentence()).contains("closed the connection before its ");
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_LAT, WRITE_LAT",
        "WRITE_LAT, SEND_LAT",
        "SEND_BW, READ_BW",
        "WRITE_BW, READ_LAT",
    })
    @DisplayName("two programs that do not fit end both in words")
    void twoProgramsThatDoNotFitEndBothInWords(PerftestProgram servers, PerftestProgram clients) throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        CompletableFuture<Found> serving = Ends.server(impatient(servers, 64), Map.of(), address);
        Found client = Ends.client(impatient(clients, 64), Map.of(), Ends.soon(address));
        Found server = Ends.soon(serving);

        for (Found end : List.of(client, server)) {
            ToolFailure failure = Objects.requireNonNull(end.failure());
            assertThat(failure.status()).isNotIn(ExitStatus.INTERNAL, ExitStatus.USAGE, ExitStatus.OK);
        }
    }

    @Test
    @DisplayName("a message larger than the receivers ends both in words")
    void messageLargerThanReceiversEndsBothInWords() throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        CompletableFuture<Found> serving = Ends.server(impatient(PerftestProgram.SEND_BW, 64), Map.of(), address);
        Found client = Ends.client(impatient(PerftestProgram.SEND_BW, 128), Map.of(), Ends.soon(address));
        Found server = Ends.soon(serving);

        assertThat(Objects.requireNonNull(client.failure()).status()).isEqualTo(ExitStatus.FAILED);
        assertThat(Objects.requireNonNull(server.failure()).status()).isEqualTo(ExitStatus.FAILED);
    }

    private static PerftestSettings impatient(PerftestProgram program, int size) {
        PerftestSettings usual = Ends.settings(program, 100, size);
        java.time.Duration soon = java.time.Duration.ofSeconds(4);
        return new PerftestSettings(
                program,
                usual.sizes(),
                usual.messages(),
                usual.sendDepth(),
                512,
                100,
                -1,
                soon,
                soon,
                usual.interval());
    }

    private static ToolFailure serverWith(List<byte[]> messages) throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        CompletableFuture<Found> serving =
                Ends.server(Ends.settings(PerftestProgram.WRITE_BW, 5, 64), Map.of(), address);
        Script.client(Ends.soon(address), messages);
        return Objects.requireNonNull(Ends.soon(serving).failure());
    }
}
