package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamHome;
import dev.jwarp.sockets.connection.StreamMemory;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The streams of one event loop, which drives their context. */
final class LoopHome extends StreamHome {
    private final EventLoop loop;
    private final SlabRegions regions = new SlabRegions(domain());

    /** Connections that were closed and are not over. */
    private final Set<StreamConnection> closing = ConcurrentHashMap.newKeySet();

    /** What aborts connections that were closed and are not over. */
    private final Map<StreamConnection, ScheduledFuture<?>> aborting = new ConcurrentHashMap<>();

    /** What disconnects those of them that have nothing more to say. */
    private final Map<StreamConnection, ScheduledFuture<?>> disconnecting = new ConcurrentHashMap<>();

    /** What sends bytes of theirs that wait for others. */
    private final Map<StreamConnection, ScheduledFuture<?>> combining = new ConcurrentHashMap<>();

    LoopHome(EventLoop loop, Map<String, String> settings) {
        super(selecting(settings), StreamMemory.ofProcess());
        this.loop = loop;
    }

    /** The loop's thread waits in a selector, whatever the settings of the process say. */
    private static Map<String, String> selecting(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("jwarp.progress.wait", "select");
        return all;
    }

    /** {@return what can be sent from where it is} */
    SlabRegions regions() {
        return regions;
    }

    @Override
    protected void abortLater(StreamConnection connection) {
        closing.add(connection);
        later(aborting, connection, StreamConnection.CLOSING, connection::abort);
    }

    @Override
    protected void disconnectLater(StreamConnection connection) {
        later(disconnecting, connection, StreamConnection.HELD, connection::disconnectHeld);
    }

    @Override
    protected void flushLater(StreamConnection connection) {
        later(combining, connection, StreamConnection.COMBINING, () -> {
            combining.remove(connection);
            connection.output().flush();
            context().poll();
        });
    }

    private void later(
            Map<StreamConnection, ScheduledFuture<?>> those,
            StreamConnection connection,
            Duration patience,
            Runnable action) {
        try {
            those.put(connection, loop.schedule(action, patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException e) {
            // The loop ends, and the context with it.
        }
    }

    @Override
    protected void over(StreamConnection connection) {
        closing.remove(connection);
        cancel(combining.remove(connection));
        cancel(disconnecting.remove(connection));
        cancel(aborting.remove(connection));
    }

    /** Also what was closed and is not over: what it still sends from is given back. */
    @Override
    public void close() {
        super.close();
        List.copyOf(closing).forEach(StreamConnection::abort);
    }

    private static void cancel(@Nullable ScheduledFuture<?> later) {
        if (later != null) {
            later.cancel(false);
        }
    }
}
