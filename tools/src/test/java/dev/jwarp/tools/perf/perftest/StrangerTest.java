package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.ExitStatus;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.perf.perftest.Ends.Found;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("perftest's exchange with a peer that does not keep to it")
@Timeout(120)
class StrangerTest {
    @ParameterizedTest(name = "message {0} of {1} bytes")
    @CsvSource({
        "0, 15, version of perftest",
        "0, 0, version of perftest",
        "1, 8, page size",
        "2, 2, cache line size",
        "3, 1, MTU",
        "4, 55, word that it is ready for the second connection",
        "6, 16, description of its memory",
        "9, 8, word that it is done",
        "10, 4, report",
        "15, 16, good-bye"
    })
    void a_message_of_another_length_ends_the_server_with_4(int number, int length, String awaited) throws Exception {
        List<byte[]> messages = new ArrayList<>(RecordedTest.said("client"));
        messages.set(number, new byte[length]);
        ToolFailure failure = serverWith(messages);

        assertThat(failure.status()).isEqualTo(ExitStatus.MISMATCH);
        assertThat(failure.sentence()).contains("where its " + awaited + " should come: ");
        assertThat(failure.details()).anyMatch(line -> line.contains("-R?"));
    }

    @Test
    void an_old_perftest_ends_the_server_with_4_and_its_version() throws Exception {
        List<byte[]> messages = new ArrayList<>(RecordedTest.said("client"));
        messages.set(0, "5.33\0\0\0\0\0\0\0\0\0\0\0\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        ToolFailure failure = serverWith(messages);

        assertThat(failure.status()).isEqualTo(ExitStatus.MISMATCH);
        assertThat(failure.sentence()).contains("perftest 5.33 exchanges other messages");
    }

    @ParameterizedTest
    @CsvSource({"1", "4", "8", "12"})
    void a_client_that_leaves_ends_the_server_with_1_and_what_was_missing(int messages) throws Exception {
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
    void two_programs_that_do_not_fit_end_both_in_words(Program servers, Program clients) throws Exception {
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
    void a_message_larger_than_the_receivers_ends_both_in_words() throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        CompletableFuture<Found> serving = Ends.server(impatient(Program.SEND_BW, 64), Map.of(), address);
        Found client = Ends.client(impatient(Program.SEND_BW, 128), Map.of(), Ends.soon(address));
        Found server = Ends.soon(serving);

        assertThat(Objects.requireNonNull(client.failure()).status()).isEqualTo(ExitStatus.FAILED);
        assertThat(Objects.requireNonNull(server.failure()).status()).isEqualTo(ExitStatus.FAILED);
    }

    private static PerftestSettings impatient(Program program, int size) {
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
        CompletableFuture<Found> serving = Ends.server(Ends.settings(Program.WRITE_BW, 5, 64), Map.of(), address);
        Script.client(Ends.soon(address), messages);
        return Objects.requireNonNull(Ends.soon(serving).failure());
    }
}
