package dev.jwarp.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.vectors.Patience;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import picocli.CommandLine.Help.Ansi;

/** One run of the command in this JVM, with a world of its own. */
public final class Run {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    /** Help is as wide everywhere as in the files it is compared with. */
    private final Map<String, String> environment = new HashMap<>(Map.of("COLUMNS", "100"));

    private final Properties properties = new Properties();
    private final Interruption interruption = new Interruption();
    private final String[] arguments;
    private LongSupplier clock = System::nanoTime;
    private int status = -1;

    private Run(String... arguments) {
        this.arguments = arguments;
    }

    /** {@return a run that has ended} */
    public static Run of(String... arguments) {
        return new Run(arguments).execute();
    }

    /** {@return a run that is still to be started} */
    public static Run later(String... arguments) {
        return new Run(arguments);
    }

    /** {@return a run that goes on in a thread of its own} */
    public static Background inBackground(String... arguments) {
        return new Background(new Run(arguments));
    }

    public Run environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    public Run property(String name, String value) {
        properties.setProperty(name, value);
        return this;
    }

    /** What the command measures time with, in nanoseconds. */
    public Run clock(LongSupplier nanoTime) {
        clock = nanoTime;
        return this;
    }

    /** {@return this run, which goes on in a thread of its own} */
    public Background start() {
        return new Background(this);
    }

    public Run execute() {
        Main.speakAlikeEverywhere();
        status = Main.run(console(), arguments);
        return this;
    }

    public Console console() {
        return new Console(
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                clock,
                environment,
                properties,
                interruption,
                Ansi.OFF);
    }

    public int status() {
        return status;
    }

    public String out() {
        return out.toString(UTF_8);
    }

    public String err() {
        return err.toString(UTF_8);
    }

    /** {@return both and the status, as a user would remember them; for messages of failing tests} */
    @Override
    public String toString() {
        return "jwarp " + String.join(" ", arguments) + " -> " + status + "\n--- out\n" + out() + "--- err\n" + err();
    }

    /** A run that goes on. */
    public static final class Background implements AutoCloseable {
        private final Run run;
        private final CompletableFuture<Run> done;

        private Background(Run run) {
            this.run = run;
            this.done = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try {
                            done.complete(run.execute());
                        } catch (Throwable e) {
                            done.completeExceptionally(e);
                        }
                    },
                    "jwarp-test-" + run.arguments[0]);
            thread.setDaemon(true);
            thread.start();
        }

        public Run run() {
            return run;
        }

        /** Ctrl-C. */
        public void interrupt() {
            run.interruption.request(Interruption.SIGINT);
        }

        public boolean ended() {
            return done.isDone();
        }

        /** {@return the run when it has ended} */
        public Run await() throws Exception {
            return done.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void close() throws Exception {
            interrupt();
            await();
        }
    }
}
