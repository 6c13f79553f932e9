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
 * Answers on a socket, one after another: each reader gets everything, and sends nothing. So there is no request to get
 * wrong, and nothing that a connection can make this process do but look at itself.
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
     * Listens at {@code path}, in a folder that only this user can enter, until it is closed or the JVM ends.
     *
     * @param rows writes them; called by the server's thread
     * @return null if the JVM is about to end, so that there is no time to look at it, and the socket would stay behind
     * @throws IOException if it cannot listen there
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
        // The program's class loader may want to go before this thread does.
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
                // No descriptor or memory left, as a rule: the socket stays readable, so do not ask again at once.
                tell(() -> LOG.debug("this process cannot be looked at now: {}", e.toString()));
                pause();
            }
        }
    }

    /** Whatever goes wrong with one answer, an Error too, ends that answer only. */
    private void serve(SocketChannel client) {
        try (Outlet outlet = new Outlet(client, STALL_NANOS, ALL_NANOS)) {
            rows.accept(outlet);
            outlet.end();
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("a reader did not get everything about this process: {}", e.toString());
        } catch (Throwable e) {
            tell(() -> LOG.warn("What this process shows could not be sent.", e));
        }
    }

    private static void tell(Runnable words) {
        try {
            words.run();
        } catch (Throwable e) {
            // No memory for words either: the thread is worth more than they are.
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

    /** Ends it and removes the socket. */
    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(removal);
        } catch (IllegalStateException e) {
            // The JVM ends: the hook runs, and finds nothing to do.
        }
    }
}
