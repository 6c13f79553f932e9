package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamHome;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** The streams of one event loop, which drives their context. */
final class LoopHome extends StreamHome {
    private final EventLoop loop;

    /** What ends connections that were closed and are not over. */
    private final Map<StreamConnection, ScheduledFuture<?>> ending = new ConcurrentHashMap<>();

    LoopHome(EventLoop loop, Map<String, String> settings) {
        super(settings);
        this.loop = loop;
    }

    @Override
    protected void endLater(StreamConnection connection) {
        try {
            ending.put(
                    connection,
                    loop.schedule(connection::abort, StreamConnection.CLOSING.toNanos(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException e) {
            // The loop ends, and the context with it.
        }
    }

    @Override
    protected void over(StreamConnection connection) {
        ScheduledFuture<?> end = ending.remove(connection);
        if (end != null) {
            end.cancel(false);
        }
    }
}
