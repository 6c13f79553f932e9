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
 * The unread datagrams of a socket, with a limit in bytes. A datagram without room is dropped, unless another address
 * has more bytes here: then the oldest datagrams of that address are dropped. Guarded by its end. Allocates once for
 * each peer, and nothing for datagrams that stay in their slots.
 */
final class Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

    /** Bytes that each datagram counts in addition to its own. */
    private static final int EACH = 64;
    /** Maximum of objects that are kept for reuse. */
    private static final int SPARE = 64;

    /** An unread datagram. */
    static final class Arrival {
        /** The slot that has the datagram; -1 if {@link #copy} has it. */
        int slot;

        byte @Nullable [] copy;
        int length;
        /** Bytes that the datagram counts. */
        private long units;

        @Nullable
        SocketPeer from;
    }

    private final ArrayDeque<Arrival> all = new ArrayDeque<>();
    private final ArrayDeque<Arrival> spare = new ArrayDeque<>();
    private final int most;
    private final Shares bytes;
    /** Gets the slots of dropped datagrams. */
    private final IntConsumer freed;

    /**
     * @param most maximum of bytes
     * @param freed gets the slots of dropped datagrams
     */
    Arrivals(int most, IntConsumer freed) {
        this.most = most;
        this.freed = freed;
        bytes = new Shares(
                ShareLimits.of("room for datagrams that were not read", "SO_RCVBUF", most, most, Long.MAX_VALUE),
                new SecureRandom().nextLong(),
                LOG::info);
    }

    /**
     * {@return whether there is room for a datagram of this length from the peer} If so, the caller must {@link #add}
     * it. There is always room for the first one.
     */
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

    /** Drops the oldest datagram of the peer. */
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
     * Adds a datagram after {@link #hasRoom}.
     *
     * @param slot that has the datagram; -1 if {@code copy} has it
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

    /** {@return the oldest datagram; null if there is none} The caller must return it with {@link #done}. */
    @Nullable
    Arrival poll() {
        Arrival first = all.poll();
        if (first != null) {
            giveBack(first);
        }
        return first;
    }

    /** Returns the object of a datagram that was read or dropped. */
    void done(Arrival one) {
        one.copy = null;
        one.from = null;
        if (spare.size() < SPARE) {
            spare.add(one);
        }
    }
}
