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
 * A shell command that makes the device under test connect: run anew for each connection. Its output is kept for the report of a case that
 * failed; whoever still runs when the next one starts, or at the end, is ended by its process number, with all that it started.
 *
 * <p>Thread-safe.
 */
final class PeerCommand implements ConnectingDevice.Starter {
    /** Bytes of output that are kept of each run: its last. */
    private static final int KEPT = 4096;

    private static final long GRACE_MILLIS = 500;

    private final String template;
    private final String host;
    private volatile @Nullable Running running;
    private boolean closed;

    /**
     * A command.
     *
     * @param template its text; {@code {host}} and {@code {port}} are replaced by where the tester waits
     * @param host the address that the device can reach the tester at; empty if it was not given
     * @throws ToolFailure if the text asks for a host that was not given
     */
    PeerCommand(String template, String host) {
        if (host.isEmpty() && template.contains("{host}")) {
            throw ToolFailure.usage("{host} in --peer-command needs --listen HOST:PORT");
        }
        this.template = template;
        this.host = host;
    }

    /** The text that is run for a port. */
    String text(int port) {
        return template.replace("{host}", host).replace("{port}", String.valueOf(port));
    }

    /** Ends the run before, if it still runs, and starts the next. */
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

    /** The last lines that the run at hand said, both streams as they came; empty if it said nothing. */
    @Override
    public List<String> said() {
        Running now = running;
        return now == null ? List.of() : now.said();
    }

    /** Ends the run at hand, if it still runs. */
    @Override
    public synchronized boolean stop() {
        Running now = running;
        if (now != null) {
            now.end();
        }
        return true;
    }

    /** Ends the run at hand; none begins any more. */
    @Override
    public synchronized void close() {
        closed = true;
        stop();
    }

    /** One run. A thread of its own takes in what it says, so that it never waits for a reader. */
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
                // It was ended: what it had said is kept.
            }
        }

        List<String> said() {
            synchronized (tail) {
                return tail.toString().lines().toList();
            }
        }

        /** Asks it and its children to end, then ends them. */
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
