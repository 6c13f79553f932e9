package dev.jwarp.transport.tcp.netty;

import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one timer of a stream. Times are mostly put off, so a timer that runs is left alone unless the new time is earlier:
 * whoever is called looks whether it is time. The owner is the event loop.
 */
final class NettyTimer {
    private static final long NEVER = Long.MAX_VALUE;

    private final EventLoop eventLoop;
    private final Runnable task;
    private @Nullable Future<?> pending;
    private long dueAt = NEVER;

    NettyTimer(EventLoop eventLoop, Runnable task) {
        this.eventLoop = eventLoop;
        this.task = task;
    }

    /** Sees to it that the task runs at {@code at} at the latest. */
    void schedule(long at, long nowNanos) {
        if (at >= dueAt) {
            return;
        }
        cancel();
        dueAt = at;
        pending = eventLoop.schedule(task, at <= nowNanos ? 0 : at - nowNanos, TimeUnit.NANOSECONDS);
    }

    /** The task has begun. */
    void ran() {
        dueAt = NEVER;
    }

    void cancel() {
        Future<?> old = pending;
        if (old != null) {
            old.cancel(false);
        }
        dueAt = NEVER;
    }
}
