package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.TimerHeap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which channels of a queue pair have something to send, which wait for the layer above, which want to be called when; and
 * the sending halves that are free. Lists are links in the channels: nothing is allocated. Owner thread only.
 */
final class RdSchedule {
    /** Waiting channels that may try in vain before others have their turn. */
    static final int TRIES_IN_VAIN = 64;

    /** Until the next ones try. */
    static final long TRY_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    /** Slots of free sending halves that have grown, together: about 2 MB. */
    private static final int SPARE_SLOTS = 65_536;

    private final TimerHeap<RdChannel> timers = new TimerHeap<>();
    private final int window;
    private @Nullable RdChannel firstDue;
    private @Nullable RdChannel lastDue;
    private @Nullable RdChannel firstWaiting;
    private @Nullable RdChannel lastWaiting;
    private int waiting;

    /** How many of those that wait are still to try, and when they go on. */
    private int toTry;

    private long tryAt = Long.MAX_VALUE;
    private @Nullable RdSender freeSender;
    /** Slots of those beyond what each begins with. */
    private int grown;

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
        // Only ever earlier: one that is called too early says anew when, so nothing moves for each datagram.
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
            waiting++;
            RdChannel last = lastWaiting;
            channel.previousWaiting = last;
            if (last == null) {
                firstWaiting = channel;
            } else {
                last.nextWaiting = channel;
            }
            lastWaiting = channel;
        }
    }

    private void awaitNoMore(RdChannel channel) {
        if (channel.waiting) {
            channel.waiting = false;
            waiting--;
            RdChannel previous = channel.previousWaiting;
            RdChannel next = channel.nextWaiting;
            if (previous == null) {
                firstWaiting = next;
            } else {
                previous.nextWaiting = next;
            }
            if (next == null) {
                lastWaiting = previous;
            } else {
                next.previousWaiting = previous;
            }
            channel.previousWaiting = null;
            channel.nextWaiting = null;
        }
    }

    /** {@return how many channels have something that the layer above was not ready for} */
    int waiting() {
        return waiting;
    }

    /**
     * Every channel that waits tries again, the longest waiting first; those that still wait queue anew. Where many try in vain, the
     * rest does so a little later: peers that have thousands of channels wait for a receive must not take all the time there is.
     */
    void ready(long nowNanos) {
        toTry = waiting;
        tryAgain(nowNanos);
    }

    private void tryAgain(long nowNanos) {
        tryAt = Long.MAX_VALUE;
        int inVain = 0;
        for (RdChannel channel = firstWaiting; channel != null && toTry > 0; channel = firstWaiting) {
            if (inVain == TRIES_IN_VAIN) {
                tryAt = nowNanos + TRY_PAUSE;
                return;
            }
            toTry--;
            awaitNoMore(channel);
            if (!channel.onReady(nowNanos)) {
                inVain++;
            }
        }
        toTry = 0;
    }

    /** {@return when {@link #onTimeout} is wanted} */
    long nextTimeout() {
        return Math.min(tryAt, timers.next());
    }

    void onTimeout(long nowNanos) {
        if (tryAt <= nowNanos) {
            tryAgain(nowNanos);
        }
        for (RdChannel channel = timers.pollDue(nowNanos); channel != null; channel = timers.pollDue(nowNanos)) {
            channel.onTimeout(nowNanos);
        }
    }

    /** The channel is gone. */
    void remove(RdChannel channel) {
        timers.remove(channel);
        awaitNoMore(channel);
    }

    RdSender takeSender() {
        RdSender free = freeSender;
        if (free == null) {
            return new RdSender(window);
        }
        freeSender = free.nextFree;
        free.nextFree = null;
        grown -= grownBy(free);
        return free;
    }

    /** Takes a sending half back; as long as there are few that have grown, it keeps its size: the next one may need it. */
    void give(RdSender idle) {
        if (grown + grownBy(idle) > SPARE_SLOTS) {
            idle.shrink();
        }
        grown += grownBy(idle);
        idle.nextFree = freeSender;
        freeSender = idle;
    }

    private static int grownBy(RdSender sender) {
        return Math.max(0, sender.slots() - RdFlight.LEAST);
    }
}
