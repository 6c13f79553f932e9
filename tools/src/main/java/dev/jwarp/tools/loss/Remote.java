package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of the experiment. It reads requests from standard input and writes answers to standard output, one JSON
 * document a line, and ends with its input.
 */
final class Remote {
    /** A counter of an end: segments that TCP has retransmitted in the network namespace of the end. */
    static final String REPEATED = "tcp_retransmitted_segments";

    private static final Path SNMP = Path.of("/proc/self/net/snmp");
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);
    private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The longest pause between two looks. Each look takes processor time from the ends. */
    private static final long MOST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Console console;
    private final String name;
    private final Process process;
    private final PrintStream to;
    private final BufferedReader from;

    /** @param name of the process, in messages */
    Remote(Console console, String name, List<String> command) {
        this.console = console;
        this.name = name;
        try {
            process =
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
        } catch (IOException e) {
            throw ToolFailure.setup("the " + name + " cannot be started: " + e.getMessage());
        }
        to = new PrintStream(process.getOutputStream(), true, UTF_8);
        from = process.inputReader(UTF_8);
    }

    void tell(Object document) {
        to.println(write(document));
    }

    <T> T hear(Class<T> type) {
        try {
            for (long look = FIRST_LOOK_NANOS; !from.ready() && process.isAlive(); ) {
                console.interruption().pause(look);
                look = Math.min(2 * look, MOST_LOOK_NANOS);
                console.endIfAsked();
            }
            String line = from.readLine();
            if (line == null) {
                throw ToolFailure.failed("the " + name + " has ended: its last lines are above");
            }
            return read(line, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String write(Object document) {
        try {
            return MAPPER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a document cannot be written as JSON", e);
        }
    }

    private static <T> T read(String line, Class<T> type) {
        try {
            return MAPPER.readValue(line, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not an expected document: " + line, e);
        }
    }

    static <T> T read(JsonNode document, Class<T> type) {
        try {
            return MAPPER.treeToValue(document, type);
        } catch (JsonProcessingException e) {
            throw ToolFailure.setup("the program of --lab wrote " + document + ": " + e.getOriginalMessage());
        }
    }

    /** Runs in the process of an end: handles each line until the input ends. */
    static void obey(
            BufferedReader lines, PrintStream answers, LocalTarget target, LocalSource source, boolean asTarget) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                LossTrial trial = read(line, LossTrial.class);
                long repeated = repeated();
                LossEnd.Report ended;
                if (asTarget) {
                    answers.println(write(target.open(trial)));
                    ended = target.serve();
                } else {
                    ended = source.run(trial, read(lines.readLine(), LossEnd.Place.class));
                }
                answers.println(write(ended.with(REPEATED, repeated() - repeated)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the retransmitted segments so far; 0 if unknown} */
    private static long repeated() {
        try {
            List<String> lines = Files.readAllLines(SNMP);
            for (int i = 0; i + 1 < lines.size(); i++) {
                int column = List.of(lines.get(i).split(" ", -1)).indexOf("RetransSegs");
                if (column >= 0) {
                    return Long.parseLong(lines.get(i + 1).split(" ", -1)[column]);
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
        return 0;
    }

    /** Ends the input, and kills the process if it has not ended after so many seconds. */
    void end(long seconds) {
        to.close();
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
