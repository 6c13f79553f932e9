package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Foreign programs, server and client, that are started for each round with a given number of iterations. */
abstract class Tool implements Player {
    private static final long PATIENCE_SECONDS = 30;
    /** Time for the server to start before the client. */
    private static final long LISTEN_MILLIS = 300;

    private static final long FIRST_ITERATIONS = 2_000;
    private static final long FEWEST_ITERATIONS = 200;

    private long iterations = FIRST_ITERATIONS;

    /** @throws IOException if the program is not installed */
    Tool(String program, String debianPackage) throws IOException {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return;
            }
        }
        throw new IOException(program + " is not installed (Debian: " + debianPackage + ")");
    }

    abstract List<String> server(int port, long count);

    abstract List<String> client(int port, long count);

    Map<String, String> environment() {
        return Map.of();
    }

    /** A command line, split at its blanks. */
    static List<String> words(String command) {
        return List.of(command.split(" "));
    }

    /** {@return the figures that the client printed} */
    abstract Figures figures(String output, long count) throws IOException;

    /** {@return the core of server (0) and client (1)} */
    int core(int end) {
        return end;
    }

    /** The first round determines how many iterations a round takes. */
    @Override
    public final Figures round(int millis) throws IOException {
        int port = freePort();
        Process server = start(server(port, iterations), 0);
        try {
            TimeUnit.MILLISECONDS.sleep(LISTEN_MILLIS);
            Process client = start(client(port, iterations), 1);
            try {
                Figures figures = figures(output(client), iterations);
                if (figures.nanos() > 0 && figures.operations() > 0) {
                    iterations =
                            Math.max(FEWEST_ITERATIONS, (long) (millis * 1e6 * figures.operations() / figures.nanos()));
                }
                return figures;
            } finally {
                client.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        } finally {
            server.destroy();
        }
    }

    private Process start(List<String> command, int end) throws IOException {
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", String.valueOf(core(end))));
        pinned.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(pinned).redirectErrorStream(true);
        if (end == 0) {
            builder.redirectOutput(ProcessBuilder.Redirect.DISCARD); // the client reports the same errors
        }
        builder.environment().putAll(environment());
        return builder.start();
    }

    private static String output(Process client) throws IOException, InterruptedException {
        Thread watch = new Thread(() -> {
            try {
                if (!client.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    client.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        watch.setDaemon(true);
        watch.start();
        String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = client.waitFor();
        if (status != 0) {
            String[] lines = output.strip().split("\n", -1);
            throw new IOException("exit status " + status + ", " + lines[lines.length - 1]);
        }
        return output;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** No process is open between rounds. */
    @Override
    public void close() {}
}
