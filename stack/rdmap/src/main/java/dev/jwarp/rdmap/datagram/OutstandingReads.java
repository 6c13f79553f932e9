package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.TimerHeap;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.DatagramPeer;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The Reads of ours that are not answered, by Message Id and by deadline. Owner thread only; allocates while it grows. */
final class OutstandingReads {
    /** The longest a Read waits, 73 years: the sum with any moment, and the distance of two such sums, are longs. */
    private static final long LONGEST_WAIT = Long.MAX_VALUE / 4;

    private final int limit;
    private final @Nullable OutstandingRead[] buckets;
    private final TimerHeap<OutstandingRead> deadlines = new TimerHeap<>();
    private @Nullable OutstandingRead free;
    private int size;

    OutstandingReads(int limit) {
        this.limit = limit;
        // Message Ids count up, so the low bits spread them as well as any hash.
        buckets = new OutstandingRead[Integer.highestOneBit(Math.max(1, limit * 2 - 1))];
    }

    /** Any thread: recent values. */
    void limits(LimitSink sink) {
        sink.limit(DatagramLimit.OUTSTANDING_READS.key(), size, limit);
    }

    boolean isFull() {
        return size >= limit;
    }

    /** Notes a Read whose request is being sent. Its deadline begins with {@link #expect}. */
    OutstandingRead add(DatagramOperation operation, int messageId) {
        OutstandingRead read = free;
        if (read == null) {
            read = new OutstandingRead();
        } else {
            free = read.link;
        }
        read.begin(operation, messageId);
        int bucket = messageId & (buckets.length - 1);
        read.link = buckets[bucket];
        buckets[bucket] = read;
        size++;
        return read;
    }

    /** From now on the answer is waited for, so long, or as long as the work request says. */
    void expect(OutstandingRead read, long usual, long nowNanos) {
        read.askedAt = nowNanos;
        long own = Objects.requireNonNull(read.operation).deadlineNanos();
        deadlines.schedule(read, nowNanos + (own > 0 ? Math.min(own, LONGEST_WAIT) : usual));
    }

    /** The answer goes on to come: it is waited for until then. */
    void extend(OutstandingRead read, long until) {
        deadlines.schedule(read, until);
    }

    @Nullable
    OutstandingRead find(int messageId) {
        OutstandingRead read = buckets[messageId & (buckets.length - 1)];
        while (read != null && read.messageId != messageId) {
            read = read.link;
        }
        return read;
    }

    /** The Read has ended, one way or the other. */
    void remove(OutstandingRead read) {
        int bucket = read.messageId & (buckets.length - 1);
        OutstandingRead before = null;
        OutstandingRead at = buckets[bucket];
        while (at != null && at != read) {
            before = at;
            at = at.link;
        }
        if (at == null) {
            return;
        }
        if (before == null) {
            buckets[bucket] = read.link;
        } else {
            before.link = read.link;
        }
        deadlines.remove(read);
        read.operation = null;
        read.record = null;
        read.link = free;
        free = read;
        size--;
    }

    /** {@return the first Read in bucket order that {@code destination} waits for, or any if null; null if there is none} */
    @Nullable
    OutstandingRead any(@Nullable DatagramDestination destination) {
        if (size == 0) {
            return null;
        }
        for (OutstandingRead bucket : buckets) {
            for (OutstandingRead read = bucket; read != null; read = read.link) {
                DatagramOperation operation = read.operation;
                if (destination == null || (operation != null && operation.destination() == destination)) {
                    return read;
                }
            }
        }
        return null;
    }

    /** Hands every Read of a peer, whatever destination names it, to {@code visitor}, which ends none. */
    void each(DatagramPeer peer, Consumer<OutstandingRead> visitor) {
        for (OutstandingRead bucket : buckets) {
            for (OutstandingRead read = bucket; read != null; read = read.link) {
                DatagramOperation operation = read.operation;
                if (operation != null && operation.destination().is(peer.address(), peer.queuePairNumber())) {
                    visitor.accept(read);
                }
            }
        }
    }

    /** {@return a Read whose sink is gone, or null} */
    @Nullable
    OutstandingRead withoutMemory() {
        for (OutstandingRead bucket : buckets) {
            for (OutstandingRead read = bucket; read != null; read = read.link) {
                DatagramOperation operation = read.operation;
                if (operation != null && !operation.memory().valid()) {
                    return read;
                }
            }
        }
        return null;
    }

    /** {@return when to look for those whose time is over} */
    long nextTimeout() {
        return deadlines.next();
    }

    /** {@return a Read whose time is over, still here; null if there is none} */
    @Nullable
    OutstandingRead overdue(long nowNanos) {
        return deadlines.pollDue(nowNanos);
    }
}
