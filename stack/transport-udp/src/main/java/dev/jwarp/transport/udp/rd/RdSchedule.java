package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.TimerHeap;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lists of channels of a queue pair: those with datagrams to send, those that wait for the layer above, and those
 * with timeouts; and the pool of sending halves. Allocates only to grow. Owner thread only.
 */
final class RdSchedule {
    /** The most waiting channels that try in vain at a time. */
    static final int TRIES_IN_VAIN = 64;

    /** The pause until the next ones try. */
    static final long TRY_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    /** The most slots by which all free sending halves together have grown: about 2 MB. */
    private static final int SPARE_SLOTS = 65_536;

    private final TimerHeap<RdChannel> timers = new TimerHeap<>();
    private final int window;
    private final ArrayDeque<RdChannel> due = new ArrayDeque<>();
    private @Nullable RdChannel firstWaiting;
    private @Nullable RdChannel lastWaiting;
    private int waiting;

    /** The number of waiting channels that are still to try, and when they do. */
    private int toTry;

    private long tryAt = Long.MAX_VALUE;
    private final ArrayDeque<RdSender> freeSenders = new ArrayDeque<>();
    /** The slots by which the free sending halves have grown. */
    private int grown;

    RdSchedule(int window) {
        this.window = window;
    }

    /** The state of a channel has changed: it may have a datagram to send, or an earlier timeout. */
    void changed(RdChannel channel) {
        if (channel.state() == RdState.CLOSED) {
            return;
        }
        if (!channel.queued && channel.isDue()) {
            channel.queued = true;
            due.add(channel);
        }
        // Only moved to an earlier time: a channel called too early sets its time again. So a datagram costs no move.
        timers.noLaterThan(channel, channel.nextTimeout());
    }

    /** {@return whether a channel may have a datagram to send} */
    boolean anyDue() {
        return !due.isEmpty();
    }

    /** {@return a channel that may have a datagram to send, removed from the list (round robin); or null} */
    @Nullable
    RdChannel pollDue() {
        RdChannel channel = due.poll();
        if (channel != null) {
            channel.queued = false;
        }
        return channel;
    }

    /** The channel has a datagram for which the layer above was not ready. */
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

    /** {@return the number of channels that wait for the layer above} */
    int waiting() {
        return waiting;
    }

    /**
     * Lets every waiting channel try again, the longest waiting first; channels that still have to wait are queued
     * again. If many try in vain, the rest tries a little later, so that thousands of waiting channels cannot use up
     * all time.
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

    /** Removes a channel from all lists. */
    void remove(RdChannel channel) {
        timers.remove(channel);
        awaitNoMore(channel);
    }

    RdSender takeSender() {
        if (freeSenders.isEmpty()) {
            return new RdSender(window);
        }
        RdSender free = freeSenders.pop();
        grown -= grownBy(free);
        return free;
    }

    /** Returns a sending half to the pool. It keeps its size, for the next user, while few in the pool have grown. */
    void give(RdSender idle) {
        if (grown + grownBy(idle) > SPARE_SLOTS) {
            idle.shrink();
        }
        grown += grownBy(idle);
        freeSenders.push(idle);
    }

    private static int grownBy(RdSender sender) {
        return Math.max(0, sender.slots() - RdFlight.LEAST);
    }
}
