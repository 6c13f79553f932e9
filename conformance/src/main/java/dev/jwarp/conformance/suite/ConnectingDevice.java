package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A device that connects: the tester listens, and may start the device for each connection. */
public final class ConnectingDevice implements TestedDevice {
    /** Milliseconds between two checks whether to go on waiting. */
    private static final long LOOK_MILLIS = 100;

    /** Milliseconds to wait for further connections of a process that has ended. */
    private static final long CLEAR_MILLIS = 20;

    /** After so many consecutive failures to connect the device counts as gone. */
    private static final int ENOUGH_MISSES = 3;

    private final ServerSocket listener;
    private final Patience patience;
    private final Function<Role, Application> program;
    private final Starter starter;
    private final Survey survey;
    private volatile int misses;

    /** Makes the device connect: runs a command, asks a person, or does nothing if the device tries again and again. */
    @FunctionalInterface
    public interface Starter extends AutoCloseable {
        /** Called before the tester waits for a connection at this port. */
        void awaited(int port) throws IOException;

        /**
         * Ends the process that was started for the previous connection.
         *
         * @return true if a process is started for each connection; then connections that wait at the port are stale
         */
        default boolean stop() {
            return false;
        }

        /** Output lines of the started process, for reports of failures. */
        default List<String> said() {
            return List.of();
        }

        /** Called when the tester waits for no more connections. */
        @Override
        default void close() {}
    }

    /**
     * Listens for a device.
     *
     * @param at the address to listen at; port 0 takes a free port
     * @param patience how long a connection may take to come
     * @param program makes the profile of the program above the device
     * @param starter called before each wait for a connection
     */
    public ConnectingDevice(
            InetSocketAddress at, Patience patience, Function<Role, Application> program, Starter starter)
            throws IOException {
        this(at, patience, program, starter, new Survey());
    }

    /** Listens for a device of which something is known. */
    public ConnectingDevice(
            InetSocketAddress at,
            Patience patience,
            Function<Role, Application> program,
            Starter starter,
            Survey survey)
            throws IOException {
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(at);
        this.patience = patience;
        this.program = program;
        this.starter = starter;
        this.survey = survey;
    }

    /** The port at which the tester listens. */
    public int port() {
        return listener.getLocalPort();
    }

    @Override
    public Role role() {
        return Role.INITIATOR;
    }

    @Override
    public Wire connect() throws IOException {
        if (starter.stop()) {
            clear();
        }
        patience.delay();
        starter.awaited(port());
        Socket socket = next(patience.closeMillis());
        misses = socket == null ? misses + 1 : 0;
        if (socket == null) {
            List<String> said = starter.said();
            throw new IOException("no connection at port " + port() + " within " + patience.closeMillis() + " ms"
                    + (said.isEmpty() ? "" : "; the device said: " + said.get(said.size() - 1)));
        }
        return new Wire(socket);
    }

    /** Closes stale connections: a device made them before it was stopped. */
    private void clear() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patience.closeMillis());
        for (Socket old = next(CLEAR_MILLIS); old != null && System.nanoTime() < deadline; old = next(CLEAR_MILLIS)) {
            old.close();
        }
    }

    /** The next connection; null if none comes in time. Returns soon when the thread is interrupted. */
    private @Nullable Socket next(long millis) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("interrupted");
            }
            listener.setSoTimeout((int) Math.min(left, LOOK_MILLIS));
            try {
                return listener.accept();
            } catch (SocketTimeoutException e) {
                // Check the clock and the interrupt again.
            }
        }
        return null;
    }

    @Override
    public Wire connect(int port) throws IOException {
        return connect();
    }

    @Override
    public Application application() {
        return program.apply(Role.INITIATOR);
    }

    @Override
    public boolean gone() {
        return misses >= ENOUGH_MISSES;
    }

    @Override
    public Survey survey() {
        return survey;
    }

    @Override
    public List<String> said() {
        return starter.said();
    }

    @Override
    public void close() {
        starter.close();
        try {
            listener.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
