package dev.jwarp.rnic.stat;

import dev.jwarp.llp.nio.SystemChannels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers on a socket, one reader after another. Each reader gets all rows and sends nothing, so there are no requests
 * to parse, and a connection can only make this process write its rows.
 */
final class StatServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatServer.class);
    private static final int BACKLOG = 16;
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long ALL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_MILLIS = 1_000;

    private final Path path;
    private final ServerSocketChannel server;
    private final Consumer<RowSource.Sink> rows;
    private final Thread removal = new Thread(this::remove, "jwarp-stat-removal");

    private StatServer(Path path, ServerSocketChannel server, Consumer<RowSource.Sink> rows) {
        this.path = path;
        this.server = server;
        this.rows = rows;
    }

    /**
     * Listens at {@code path}, in a folder that only this user can enter, until the server is closed or the JVM ends.
     *
     * @param rows writes the rows; called by the server's thread
     * @return null if the JVM is shutting down, because the socket could not be removed then
     * @throws IOException if the server cannot listen there
     */
    static @Nullable StatServer start(Path path, Consumer<RowSource.Sink> rows) throws IOException {
        ServerSocketChannel channel = SystemChannels.provider().openServerSocketChannel(StandardProtocolFamily.UNIX);
        StatServer started = new StatServer(path, channel, rows);
        try {
            channel.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            Runtime.getRuntime().addShutdownHook(started.removal);
        } catch (IllegalStateException e) {
            started.remove();
            return null;
        } catch (IOException | RuntimeException e) {
            started.remove();
            throw e;
        }
        Thread thread = new Thread(started::run, "jwarp-stat");
        thread.setDaemon(true);
        // The program's class loader must be collectable before this thread ends.
        thread.setContextClassLoader(null);
        thread.start();
        return started;
    }

    Path path() {
        return path;
    }

    private void run() {
        while (server.isOpen()) {
            try (SocketChannel client = server.accept()) {
                serve(client);
            } catch (ClosedChannelException e) {
                return;
            } catch (Throwable e) {
                // Usually no descriptors or memory: the socket stays readable, so wait before the next accept.
                tell(() -> LOG.debug("this process cannot be looked at now: {}", e.toString()));
                pause();
            }
        }
    }

    /** Any exception or Error during an answer ends only that answer. */
    private void serve(SocketChannel client) {
        try (Outlet outlet = new Outlet(client, STALL_NANOS, ALL_NANOS)) {
            rows.accept(outlet);
            outlet.end();
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("a reader did not get everything about this process: {}", e.toString());
        } catch (Throwable e) {
            tell(() -> LOG.warn("The rows of this process could not be sent.", e));
        }
    }

    private static void tell(Runnable words) {
        try {
            words.run();
        } catch (Throwable e) {
            // No memory to log either: the thread has to continue.
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove() {
        try {
            server.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.debug("{} stays behind: {}", path, e.toString());
        }
    }

    /** Ends the server and removes the socket. */
    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(removal);
        } catch (IllegalStateException e) {
            // The JVM is shutting down: the hook runs and finds nothing to do.
        }
    }
}
