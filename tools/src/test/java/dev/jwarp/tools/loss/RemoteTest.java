package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.loss.Board.Cell;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.RdmaProvider;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The ends of jwarp loss --lab, which read requests by lines")
class RemoteTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Test
    @DisplayName("Two ends that share only a file and the network run a trial")
    void lines(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("board");
        LossPath path = new LossPath(0, 1.5, Bottleneck.of("100M,2x"));
        LossTrial trial = new LossTrial(Service.UD_SEND, path, 100, 20, 4, 1500, 1000, 10_000, 2, 8, Map.of());
        ByteArrayOutputStream ofTarget = new ByteArrayOutputStream();
        PipedWriter toTarget = new PipedWriter();
        BufferedReader lines = new BufferedReader(new PipedReader(toTarget));
        CompletableFuture<Void> target =
                CompletableFuture.runAsync(() -> obey(lines, ofTarget, file, true), OwnThread.EACH);
        toTarget.write(MAPPER.writeValueAsString(trial) + "\n");
        toTarget.close();
        await(ofTarget);

        String place = ofTarget.toString(UTF_8).lines().findFirst().orElseThrow();
        ByteArrayOutputStream ofSource = new ByteArrayOutputStream();
        obey(
                new BufferedReader(new StringReader(MAPPER.writeValueAsString(trial) + "\n" + place + "\n")),
                ofSource,
                file,
                false);
        target.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);

        LossEnd.Report source = MAPPER.readValue(ofSource.toString(UTF_8), LossEnd.Report.class);
        assertThat(source.trouble()).isNull();
        assertThat(source.counter("sends_completed")).isEqualTo(20);
        assertThat(source.counters()).containsKey(Remote.REPEATED);
        Board board = Board.inFile(file, 20);
        assertThat(board.get(Cell.POSTED)).isEqualTo(20);
        assertThat(board.fate(19)).isEqualTo(Board.Fate.WHOLE);
    }

    private static void await(ByteArrayOutputStream answer) {
        org.awaitility.Awaitility.await().until(() -> answer.toString(UTF_8).contains("\n"));
    }

    private static void obey(BufferedReader lines, ByteArrayOutputStream answers, Path file, boolean asTarget) {
        try {
            Console console = Run.later().console();
            RdmaProvider rdma = RdmaProvider.load();
            Board board = Board.inFile(file, 20);
            InetAddress loopback = InetAddress.getLoopbackAddress();
            Remote.obey(
                    lines,
                    new PrintStream(answers, true, UTF_8),
                    new LocalTarget(rdma, loopback, board, console),
                    new LocalSource(rdma, loopback, board, console),
                    asTarget);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
