package dev.jwarp.tools.loss;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ThisJvm;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process for each end, on a path that a program makes, such as {@code interop/loss/lab.py}. The program writes a
 * {@link Place}. Then it reads a {@link PathRequest} before each trial, and answers when the path is as requested. It
 * may write a {@code failure} in place of either. Each line is a JSON document.
 */
final class ProgramLab implements Lab {
    private static final String TRUST = "jwarp.udp.trust";
    private static final String CONTROLLED = "jwarp.udp.controlled";

    /**
     * The lab that the program has made.
     *
     * @param description for the reader of the results
     * @param network of both addresses, such as {@code 10.77.77.0/24}
     * @param ends the target and the source
     */
    record Place(String description, String network, List<End> ends) {}

    /**
     * The place of an end.
     *
     * @param address its IP address
     * @param command the first words of a command that runs there
     */
    record End(String address, List<String> command) {}

    /**
     * The path of the next trial, the same in both directions.
     *
     * @param loss the share of packets to lose, 0 to 1
     * @param delay milliseconds in one direction
     * @param rate bits a second, of IP packets; null for no bottleneck
     * @param queue bytes in front of the bottleneck; null for none
     * @param seed that decides which packets are lost, except in the kernel
     */
    record PathRequest(
            double loss,
            double delay,
            @Nullable Long rate,
            @Nullable Long queue,
            long seed) {
        static PathRequest of(LossTrial trial) {
            LossPath path = trial.path();
            Bottleneck narrow = path.bottleneck();
            return new PathRequest(
                    path.loss(),
                    path.delayMillis(),
                    narrow == null ? null : narrow.bitsPerSecond(),
                    narrow == null ? null : narrow.queueBytes(2 * path.delayMillis()),
                    // A seed for each service and size: with the same seed for all, their losses would be correlated.
                    31 * (31 * trial.seed() + trial.service().word().hashCode()) + trial.size());
        }
    }

    private static final long FAREWELL_SECONDS = 1;
    /** The program deletes what it has made. */
    private static final long PROGRAM_SECONDS = 30;

    private final List<Remote> ends = new ArrayList<>();
    private final Remote program;
    private final Place place;
    private final Path file;
    private final Board board;
    private final Remote target;
    private final Remote source;

    /**
     * @param words of the command of the program
     * @param main of this command, which each end runs
     */
    ProgramLab(Console console, Class<?> main, List<String> words, int mostMessages) {
        program = new Remote(console, "program of --lab", words);
        try {
            place = Remote.read(answer(), Place.class);
            file = Files.createTempFile("jwarp-loss", ".board");
            board = Board.inFile(file, mostMessages);
            target = end(console, main, "target", mostMessages);
            source = end(console, main, "source", mostMessages);
        } catch (IOException e) {
            endProcesses();
            throw ToolFailure.setup("the file that both ends share cannot be made: " + e.getMessage());
        } catch (RuntimeException e) {
            endProcesses();
            throw e;
        }
    }

    private Remote end(Console console, Class<?> main, String role, int mostMessages) {
        End end = place.ends().get(ends.size());
        List<String> command = new ArrayList<>(end.command());
        command.addAll(ThisJvm.command());
        command.addAll(List.of(main.getName(), "loss", "--role", role, "--local", end.address()));
        command.addAll(List.of("--board", file.toString(), "--messages", Integer.toString(mostMessages)));
        Remote started = new Remote(console, role, command);
        ends.add(started);
        return started;
    }

    private JsonNode answer() {
        JsonNode answer = program.hear(JsonNode.class);
        if (answer.has("failure")) {
            throw ToolFailure.setup("--lab: " + answer.path("failure").asText());
        }
        return answer;
    }

    @Override
    public String description() {
        return place.description() + "; a process at each end, and both addresses are trusted (" + TRUST + ")";
    }

    @Override
    public Row run(LossTrial trial) {
        Row.Conditions conditions = Row.Conditions.now(true, "");
        board.clear(trial.messages());
        program.tell(PathRequest.of(trial));
        answer();
        Map<String, String> settings = new HashMap<>(trial.settings());
        settings.putIfAbsent(TRUST, place.network());
        if (trial.path().bottleneck() == null) {
            settings.putIfAbsent(CONTROLLED, place.network()); // loss is measured, not pacing
        }
        LossTrial there = trial.with(settings);
        target.tell(there);
        LossEnd.Place at = target.hear(LossEnd.Place.class);
        source.tell(there);
        source.tell(at);
        LossEnd.Report ofSource = source.hear(LossEnd.Report.class);
        return Row.of(trial, conditions, board, ofSource, target.hear(LossEnd.Report.class));
    }

    private void endProcesses() {
        ends.forEach(end -> end.end(FAREWELL_SECONDS));
        program.end(PROGRAM_SECONDS);
    }

    @Override
    public void close() {
        endProcesses();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw ToolFailure.setup("cannot delete " + file + ": " + e.getMessage());
        }
    }
}
