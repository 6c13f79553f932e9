package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.loss.Board.Cell;
import dev.jwarp.tools.loss.Board.Fate;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The parts of the loss experiment")
class LossPartsTest {
    private static LossTrial trial(Service service, int size, int messages) {
        return trial(service, new LossPath(0.1, null, null), size, messages);
    }

    private static LossTrial trial(Service service, LossPath path, int size, int messages) {
        return new LossTrial(service, path, size, messages, 16, 1500, 100, 1000, 1, 7, Map.of());
    }

    @Test
    @DisplayName("A Send needs all its datagrams, a Write-Record each for itself, a Read its request, too")
    void expectations() {
        assertThat(Service.UD_SEND.expectedWhole(0.1, 2)).isCloseTo(0.81, within(1e-9));
        assertThat(Service.UD_SEND.expectedValid(0.1, 2)).isCloseTo(0.81, within(1e-9));
        assertThat(Service.UD_WRITE_RECORD.expectedValid(0.1, 2)).isCloseTo(0.9, within(1e-9));
        assertThat(Service.UD_READ.expectedWhole(0.1, 2)).isCloseTo(0.729, within(1e-9));
        assertThat(Service.UD_READ.expectedValid(0.1, 2)).isCloseTo(0.81, within(1e-9));
        assertThat(Service.RD_SEND.expectedWhole(0.1, 2)).isEqualTo(1);
    }

    @Test
    @DisplayName("Two processes see the same board")
    void shared(@TempDir Path folder) throws Exception {
        Board one = Board.inFile(folder.resolve("board"), 10);
        Board other = Board.inFile(folder.resolve("board"), 10);
        one.clear(10);
        one.posting(3, 42);
        other.ended(3, Fate.PART, 5, 50);
        other.set(Cell.SETTLED, 7);

        assertThat(other.get(Cell.POSTED)).isEqualTo(4);
        assertThat(other.postedAt(3)).isEqualTo(42);
        assertThat(one.fate(3)).isEqualTo(Fate.PART);
        assertThat(one.bytes(3, false)).isEqualTo(5);
        assertThat(one.bytes(3, true)).isZero();
        assertThat(one.endedAt(3)).isEqualTo(50);
        assertThat(one.get(Cell.SETTLED)).isEqualTo(7);
        assertThat(one.ended(3, Fate.WHOLE, 9, 60)).as("ended a second time").isFalse();
    }

    @Test
    @DisplayName("One byte identifies a message while fewer than 256 are in flight")
    void numbers() {
        Board board = Board.inMemory(1000);
        ByteBuffer bytes = ByteBuffer.allocate(1);
        for (int message = 0; message < 1000; message++) {
            board.posting(message, 0);
            int late = Math.max(0, message - 200);
            Board.number(bytes, 0, 1, late);
            assertThat(board.latest(bytes, 0, 1)).isEqualTo(late);
        }
        assertThat(Board.inMemory(10).latest(bytes, 0, 1)).as("nothing posted").isEqualTo(-1);
    }

    @Test
    @DisplayName("The source waits for the target until missing messages count as lost")
    void flow() throws Exception {
        LossTrial trial = trial(Service.UD_SEND, 100, 1000);
        Board board = Board.inMemory(1000);
        Flow flow = new Flow(trial, board, 4 << 20);

        assertThat(flow.mayPost(15, 15)).isTrue();
        assertThat(flow.mayPost(16, 16)).isFalse();
        board.set(Cell.SETTLED, 1);
        assertThat(flow.mayPost(16, 16)).isTrue();
        await().during(Duration.ofMillis(60)).until(() -> !flow.mayPost(17, 17));
        board.set(Cell.IDLE, 3);
        await().until(() -> flow.mayPost(17, 17));
        assertThat(flow.mayPost(17 + 15, 17)).isTrue();
        assertThat(flow.mayPost(17 + 16, 17)).isFalse();
    }

    @Test
    @DisplayName("A message that is late on a slow path does not count as lost")
    void slow() throws Exception {
        LossPath path = new LossPath(0.1, 1500.0, null);
        Board board = Board.inMemory(1000);
        Flow flow = new Flow(trial(Service.UD_SEND, path, 100, 1000), board, 4 << 20);

        assertThat(flow.mayPost(16, 16)).isFalse();
        board.set(Cell.IDLE, 1000);
        await().during(Duration.ofMillis(100)).until(() -> !flow.mayPost(16, 16));
        await().until(() -> flow.mayPost(16, 16));
    }

    @Test
    @DisplayName("The least rate of a message is its share of the bottleneck")
    void rate() {
        LossPath narrow = new LossPath(0, 50.0, Bottleneck.of("8M,64K"));

        assertThat(trial(Service.RD_SEND, narrow, 64 << 10, 100).rate()).isEqualTo(1_000_000 / 32);
        assertThat(trial(Service.RD_SEND, 64 << 10, 100).rate()).isEqualTo(50_000_000);
    }

    @Test
    @DisplayName("A message that a slow path keeps at the source is unfinished, not lost")
    void unsent() {
        Board board = Board.inMemory(10);
        for (int message = 0; message < 4; message++) {
            board.posting(message, 0);
        }
        board.ended(0, Fate.WHOLE, 64, 10);
        board.set(Cell.UNSENT, 2);
        LossEnd.Report ended = new LossEnd.Report(Map.of("tx_datagrams", 2L), 0, null);

        Row row = Row.of(
                trial(Service.UD_SEND, 64, 10),
                new Row.Conditions(true, null, ""),
                board,
                ended,
                new LossEnd.Report(Map.of(), 0, null));

        assertThat(row.whole()).isEqualTo(1);
        assertThat(row.lost()).isEqualTo(1);
        assertThat(row.unfinished()).isEqualTo(2);
        assertThat(row.status()).isEqualTo(Row.Status.CUT);
    }

    @Test
    @DisplayName("A link does not lose the same packets of each service and size")
    void luck() {
        assertThat(Stream.of(
                                trial(Service.UD_SEND, 64, 100),
                                trial(Service.UD_SEND, 1024, 100),
                                trial(Service.RD_SEND, 64, 100))
                        .map(ProgramLab.PathRequest::of)
                        .map(ProgramLab.PathRequest::seed)
                        .distinct())
                .hasSize(3);
    }

    @Test
    @DisplayName("The socket of the target holds all datagrams in flight")
    void buffer() {
        LossTrial trial = trial(Service.UD_WRITE_RECORD, 64 << 10, 100);
        Board board = Board.inMemory(100);
        Flow small = new Flow(trial, board, 1 << 20);
        Flow large = new Flow(trial, board, 64 << 20);

        assertThat(small.mayPost(2, 2)).isTrue();
        assertThat(small.mayPost(3, 3)).isFalse();
        assertThat(large.mayPost(17, 17)).isTrue();
        assertThat(large.mayPost(18, 18)).isFalse();
    }
}
