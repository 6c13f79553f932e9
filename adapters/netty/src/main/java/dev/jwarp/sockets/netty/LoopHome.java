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

    /** Connections that are closed but not ended. */
    private final Set<StreamConnection> closing = ConcurrentHashMap.newKeySet();

    /** The timers that abort connections that are closed but not ended. */
    private final Map<StreamConnection, ScheduledFuture<?>> aborting = new ConcurrentHashMap<>();

    /** The timers that disconnect those of them that have sent everything. */
    private final Map<StreamConnection, ScheduledFuture<?>> disconnecting = new ConcurrentHashMap<>();

    /** The timers that send small writes that wait for others. */
    private final Map<StreamConnection, ScheduledFuture<?>> combining = new ConcurrentHashMap<>();

    LoopHome(EventLoop loop, Map<String, String> settings) {
        super(selecting(settings), StreamMemory.ofProcess());
        this.loop = loop;
    }

    /** Overrides a setting: the loop's thread waits in a selector. */
    private static Map<String, String> selecting(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("jwarp.progress.wait", "select");
        return all;
    }

    /** {@return the memory that can be sent without a copy} */
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
            // The loop ends with its context.
        }
    }

    @Override
    protected void over(StreamConnection connection) {
        closing.remove(connection);
        cancel(combining.remove(connection));
        cancel(disconnecting.remove(connection));
        cancel(aborting.remove(connection));
    }

    /** Also ends connections that are closed but not ended, so that their buffers are released. */
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
