package dev.jwarp.transport.udp.rd;

import org.jspecify.annotations.Nullable;

/**
 * Which channels of a queue pair have something to send, which wait for the layer above, which want to be called when; and
 * the sending halves that are free. Lists are links in the channels: nothing is allocated. Owner thread only.
 */
final class RdSchedule {
    private final RdTimers timers = new RdTimers();
    private final int window;
    private @Nullable RdChannel firstDue;
    private @Nullable RdChannel lastDue;
    private @Nullable RdChannel firstWaiting;
    private @Nullable RdChannel lastWaiting;
    private @Nullable RdSender freeSender;

    RdSchedule(int window) {
        this.window = window;
    }

    /** The state of a channel has changed: it may have something to send, or want to be called earlier. */
    void changed(RdChannel channel) {
        if (channel.state() == RdState.CLOSED) {
            return;
        }
        if (!channel.queued && channel.isDue()) {
            channel.queued = true;
            if (lastDue == null) {
                firstDue = channel;
            } else {
                lastDue.nextDue = channel;
            }
            lastDue = channel;
        }
        timers.noLaterThan(channel, channel.nextTimeout());
    }

    /** {@return whether a channel has something to send} */
    boolean anyDue() {
        return firstDue != null;
    }

    /** {@return a channel that may have something to send, taken out of the list: they take turns; or null} */
    @Nullable
    RdChannel pollDue() {
        RdChannel channel = firstDue;
        if (channel != null) {
            firstDue = channel.nextDue;
            if (firstDue == null) {
                lastDue = null;
            }
            channel.nextDue = null;
            channel.queued = false;
        }
        return channel;
    }

    /** The channel has something that the layer above was not ready for. */
    void await(RdChannel channel) {
        if (!channel.waiting) {
            channel.waiting = true;
            if (lastWaiting == null) {
                firstWaiting = channel;
            } else {
                lastWaiting.nextWaiting = channel;
            }
            lastWaiting = channel;
        }
    }

    /** Every channel that waits tries again, the longest waiting first; those that still wait queue anew. */
    void ready(long nowNanos) {
        RdChannel channel = firstWaiting;
        firstWaiting = null;
        lastWaiting = null;
        while (channel != null) {
            RdChannel next = channel.nextWaiting;
            channel.nextWaiting = null;
            channel.waiting = false;
            channel.onReady(nowNanos);
            channel = next;
        }
    }

    /** {@return when {@link #onTimeout} is wanted} */
    long nextTimeout() {
        return timers.next();
    }

    void onTimeout(long nowNanos) {
        for (RdChannel channel = timers.poll(nowNanos); channel != null; channel = timers.poll(nowNanos)) {
            channel.onTimeout(nowNanos);
        }
    }

    /** The channel is gone. */
    void remove(RdChannel channel) {
        timers.remove(channel);
    }

    RdSender takeSender() {
        RdSender free = freeSender;
        if (free == null) {
            return new RdSender(window);
        }
        freeSender = free.nextFree;
        free.nextFree = null;
        return free;
    }

    void give(RdSender idle) {
        idle.nextFree = freeSender;
        freeSender = idle;
    }
}
