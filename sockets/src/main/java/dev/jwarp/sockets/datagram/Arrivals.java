package dev.jwarp.sockets.datagram;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Datagrams that have come to a socket and were not read yet. Bounded in bytes. What finds no room is dropped, unless another address has more there: then those of that one are that have
 * waited longest. Guarded by its end; allocates nothing while they stay in their slots, but once for each peer.
 */
final class Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

    /** What a datagram counts beside its bytes. */
    private static final int EACH = 64;
    /** Kept to be used again. */
    private static final int SPARE = 64;

    /** One that has come. */
    static final class Arrival {
        /** Where it is; -1: in {@link #copy}. */
        int slot;

        byte @Nullable [] copy;
        int length;
        /** Bytes that it counts. */
        private long units;

        @Nullable
        SocketPeer from;
    }

    private final ArrayDeque<Arrival> all = new ArrayDeque<>();
    private final ArrayDeque<Arrival> spare = new ArrayDeque<>();
    private final int most;
    private final Shares bytes;
    /** Slots of what is dropped go there. */
    private final IntConsumer freed;

    /**
     * @param most bytes that can wait
     * @param freed is given the slots of those that are dropped
     */
    Arrivals(int most, IntConsumer freed) {
        this.most = most;
        this.freed = freed;
        bytes = new Shares(
                ShareLimits.of("room for datagrams that were not read", "SO_RCVBUF", most, most, Long.MAX_VALUE),
                new SecureRandom().nextLong(),
                LOG::info);
    }

    /** {@return whether there is room for one of that length from that peer, which is to be {@link #add}ed then} The first one always finds it. */
    boolean hasRoom(int length, SocketPeer from) {
        long now = System.nanoTime();
        Share share = from.waiting;
        if (share == null) {
            share = bytes.join(SourceKey.of(from.address), nowNanos -> drop(from), now);
            from.waiting = share;
        }
        return share.take(units(length), now);
    }

    private long units(int length) {
        return Math.min(length + EACH, most);
    }

    /** The one of that peer that has waited longest gives way. */
    private void drop(SocketPeer from) {
        for (Iterator<Arrival> each = all.iterator(); each.hasNext(); ) {
            Arrival one = each.next();
            if (one.from == from) {
                each.remove();
                giveBack(one);
                if (one.slot >= 0) {
                    freed.accept(one.slot);
                }
                done(one);
                return;
            }
        }
    }

    private static void giveBack(Arrival one) {
        SocketPeer from = one.from;
        if (from != null && from.waiting != null) {
            from.waiting.give(one.units);
            from.leaveIfRead();
        }
    }

    /**
     * Adds one, for which there {@link #hasRoom is room}.
     *
     * @param slot where it is; -1: in {@code copy}
     */
    void add(int slot, byte @Nullable [] copy, int length, SocketPeer from) {
        Arrival added = spare.isEmpty() ? new Arrival() : spare.remove();
        added.slot = slot;
        added.copy = copy;
        added.length = length;
        added.from = from;
        added.units = units(length);
        all.add(added);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** {@return the one that came first; null if there is none} It is to be given back with {@link #done}. */
    @Nullable
    Arrival poll() {
        Arrival first = all.poll();
        if (first != null) {
            giveBack(first);
        }
        return first;
    }

    /** It was read. */
    void done(Arrival one) {
        one.copy = null;
        one.from = null;
        if (spare.size() < SPARE) {
            spare.add(one);
        }
    }
}
