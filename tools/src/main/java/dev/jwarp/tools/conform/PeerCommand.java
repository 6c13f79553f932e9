package dev.jwarp.tools.conform;

import dev.jwarp.conformance.suite.ConnectingDevice;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.ToolThreads;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A shell command that makes the device under test connect, run for each connection. The output is kept for the report
 * of a failed case. A process that still runs when the next one starts, or at the end, is killed with its descendants.
 * <p>Thread-safe.
 */
final class PeerCommand implements ConnectingDevice.Starter {
    /** Most bytes of output that are kept of each run: the last ones. */
    private static final int KEPT = 4096;

    private static final long GRACE_MILLIS = 500;

    private final String template;
    private final String host;
    private volatile @Nullable Running running;
    private boolean closed;

    /**
     * Makes the command.
     *
     * @param template its text; {@code {host}} and {@code {port}} are replaced by the tester's address
     * @param host the address at which the device can reach the tester; empty if it was not given
     * @throws ToolFailure if the text needs a host that was not given
     */
    PeerCommand(String template, String host) {
        if (host.isEmpty() && template.contains("{host}")) {
            throw ToolFailure.usage("{host} in --peer-command needs --listen HOST:PORT");
        }
        this.template = template;
        this.host = host;
    }

    /** {@return the text of the command for a port} */
    String text(int port) {
        return template.replace("{host}", host).replace("{port}", String.valueOf(port));
    }

    /** Ends the previous run if it still runs, and starts the next. */
    @Override
    public synchronized void awaited(int port) throws IOException {
        stop();
        if (closed) {
            throw new IOException("the run has ended");
        }
        Process process = new ProcessBuilder("sh", "-c", text(port))
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .start();
        running = new Running(process);
    }

    /** {@return the last lines of output of the current run, of both streams; empty if there was no output} */
    @Override
    public List<String> said() {
        Running now = running;
        return now == null ? List.of() : now.said();
    }

    /** Ends the current run, if it still runs. */
    @Override
    public synchronized boolean stop() {
        Running now = running;
        if (now != null) {
            now.end();
        }
        return true;
    }

    /** Ends the current run, and prevents further runs. */
    @Override
    public synchronized void close() {
        closed = true;
        stop();
    }

    /** One run. A separate thread reads its output, so that the process never blocks on a full pipe. */
    private static final class Running {
        private final Process process;
        private final StringBuilder tail = new StringBuilder();

        Running(Process process) {
            this.process = process;
            ToolThreads.start("conform-peer-" + process.pid(), this::read);
        }

        private void read() {
            byte[] buffer = new byte[1024];
            try (InputStream in = process.getInputStream()) {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    synchronized (tail) {
                        tail.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
                        if (tail.length() > KEPT) {
                            tail.delete(0, tail.length() - KEPT);
                        }
                    }
                }
            } catch (IOException e) {
                // The process was ended. Its output is kept.
            }
        }

        List<String> said() {
            synchronized (tail) {
                return tail.toString().lines().toList();
            }
        }

        /** Asks the process and its descendants to end, and kills them after a short time. */
        void end() {
            List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
            all.add(process.toHandle());
            all.forEach(ProcessHandle::destroy);
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
            for (ProcessHandle one : all) {
                try {
                    one.onExit().get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    one.destroyForcibly();
                } catch (ExecutionException | TimeoutException e) {
                    one.destroyForcibly();
                }
            }
        }
    }
}
