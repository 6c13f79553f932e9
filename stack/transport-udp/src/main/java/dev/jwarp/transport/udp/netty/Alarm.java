package dev.jwarp.transport.udp.netty;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One timer: whoever sets it to an earlier time takes the later one back. Without that each one that was overtaken would
 * stay in the line of the event loop, ring for nothing and be set anew, one more for each exchange. Event loop only.
 */
final class Alarm {
    private final ScheduledExecutorService executor;
    private final Runnable task;
    private @Nullable ScheduledFuture<?> armed;
    private long at = Long.MAX_VALUE;

    /** Runs {@code task} on {@code executor}, which is the caller of everything here. */
    Alarm(ScheduledExecutorService executor, Runnable task) {
        this.executor = executor;
        this.task = task;
    }

    /** It rings no later than that; {@link Long#MAX_VALUE} changes nothing. */
    void noLaterThan(long nanos, long nowNanos) {
        if (nanos < at) {
            cancel();
            armed = executor.schedule(this::ring, Math.max(0, nanos - nowNanos), TimeUnit.NANOSECONDS);
            at = nanos;
        }
    }

    private void ring() {
        armed = null;
        at = Long.MAX_VALUE;
        task.run();
    }

    /** It does not ring. */
    void cancel() {
        ScheduledFuture<?> before = armed;
        if (before != null) {
            before.cancel(false);
            armed = null;
            at = Long.MAX_VALUE;
        }
    }
}
