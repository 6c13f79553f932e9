package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An end of the trials in a process and a network namespace of its own: this command again, told what to do through its
 * standard input, a JSON document a line. When that ends, it ends.
 */
final class Remote implements Target, Source, AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long FAREWELL_SECONDS = 1;
    private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Looking takes the processor from the ends. */
    private static final long MOST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Console console;
    private final Process process;
    private final PrintStream to;
    private final BufferedReader from;

    /**
     * @param main of this command
     * @param role {@code target} or {@code source}
     */
    Remote(
            Console console,
            Class<?> main,
            String namespace,
            String role,
            InetAddress local,
            Path board,
            int mostMessages) {
        this.console = console;
        ProcessHandle.Info info = ProcessHandle.current().info();
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        command.add(info.command().orElse("java"));
        command.addAll(optionsOf(info.arguments().orElse(new String[0])));
        // Its file has the process's number: where namespaces of processes share a /tmp, the JVM warns of that on
        // standard output.
        command.add("-XX:-UsePerfData");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), "loss"));
        command.addAll(List.of("--role", role, "--local", local.getHostAddress(), "--board", board.toString()));
        command.addAll(List.of("--messages", Integer.toString(mostMessages)));
        try {
            process =
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
        } catch (IOException e) {
            throw ToolFailure.setup("the " + role + " cannot be started: " + e.getMessage());
        }
        to = new PrintStream(process.getOutputStream(), true, UTF_8);
        from = process.inputReader(UTF_8);
    }

    /** {@return the options of a JVM, out of its arguments as the launcher gives them: those before the jar} */
    static List<String> optionsOf(String[] arguments) {
        List<String> options = new ArrayList<>();
        for (String argument : arguments) {
            if (argument.equals("-jar")) {
                return options;
            }
            options.add(argument);
        }
        return List.of();
    }

    @Override
    public LossPlace open(LossTrial trial) {
        tell(trial);
        return hear(LossPlace.class);
    }

    @Override
    public Ended serve() {
        return hear(Ended.class);
    }

    @Override
    public Ended run(LossTrial trial, LossPlace target) {
        tell(trial);
        tell(target);
        return hear(Ended.class);
    }

    private void tell(Object document) {
        to.println(write(document));
    }

    private <T> T hear(Class<T> type) {
        try {
            for (long look = FIRST_LOOK_NANOS; !from.ready() && process.isAlive(); ) {
                console.interruption().pause(look);
                look = Math.min(2 * look, MOST_LOOK_NANOS);
                console.endIfAsked();
            }
            String line = from.readLine();
            if (line == null) {
                throw ToolFailure.failed("one end of the trial has ended: its last lines are above");
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
            throw new IllegalStateException("a document of ours cannot be written", e);
        }
    }

    private static <T> T read(String line, Class<T> type) {
        try {
            return MAPPER.readValue(line, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a document of ours: " + line, e);
        }
    }

    /** The other side: does what the lines say until there are no more. */
    static void obey(BufferedReader lines, PrintStream answers, Target target, Source source, boolean asTarget) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                LossTrial trial = read(line, LossTrial.class);
                long repeated = TcpRepeats.soFar();
                Ended ended;
                if (asTarget) {
                    answers.println(write(target.open(trial)));
                    ended = target.serve();
                } else {
                    ended = source.run(trial, read(lines.readLine(), LossPlace.class));
                }
                answers.println(write(ended.with(TcpRepeats.NAME, TcpRepeats.soFar() - repeated)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        to.close();
        try {
            if (!process.waitFor(FAREWELL_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
