package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.TimerHeap;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.DatagramPeer;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Our unanswered Reads, by Message Id and by deadline. Owner thread only; allocates while it grows. */
final class OutstandingReads {
    /** One of our unanswered Reads. Reused; owner thread only. */
    static final class OutstandingRead extends TimerHeap.Entry {
        @Nullable
        DatagramOperation operation;

        int messageId;

        long size;

        /** When its request was sent. */
        long askedAt;

        int challenges;
        /** Whether its request waits to be sent again. */
        boolean again;

        // The cookie in its last request; zeros if none.
        private long cookieHigh;
        private long cookieLow;

        /** The parts that have arrived, of a response of several segments; null before the first. */
        @Nullable
        MessageRecord record;

        /** Link in a chain of the table, or of free objects. */
        @Nullable
        OutstandingRead link;

        /** Begins a Read without cookie and record. */
        void begin(DatagramOperation of, int id) {
            operation = of;
            messageId = id;
            size = of.memory().length();
            challenges = 0;
            again = false;
            cookieHigh = 0;
            cookieLow = 0;
            record = null;
        }

        /** Its request is being written, with the cookie of this peer, or without a cookie if null. */
        void asked(@Nullable DatagramPeer shown) {
            again = false;
            cookieHigh = shown == null ? 0 : shown.cookieHigh();
            cookieLow = shown == null ? 0 : shown.cookieLow();
        }

        /** {@return whether its last request carried this cookie} */
        boolean showed(long high, long low) {
            return cookieHigh == high && cookieLow == low;
        }
    }

    /** The longest time limit of a Read, 73 years: a time plus it, and the difference of two such sums, fit a long. */
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

    /** Adds a Read whose request is being sent. Its time limit begins with {@link #expect}. */
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

    /** Starts the time limit: {@code usual}, unless the work request has its own. */
    void expect(OutstandingRead read, long usual, long nowNanos) {
        read.askedAt = nowNanos;
        long own = Objects.requireNonNull(read.operation).deadlineNanos();
        deadlines.schedule(read, nowNanos + (own > 0 ? Math.min(own, LONGEST_WAIT) : usual));
    }

    /** Extends the time limit while the response is arriving. */
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

    /** Removes a Read that has ended. */
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

    /** Passes every Read to {@code visitor}, which must not end any. */
    void each(Consumer<OutstandingRead> visitor) {
        any(read -> {
            visitor.accept(read);
            return false;
        });
    }

    /** {@return a Read that meets the condition, or null} */
    @Nullable
    OutstandingRead any(Predicate<OutstandingRead> condition) {
        for (int i = 0; size > 0 && i < buckets.length; i++) {
            for (OutstandingRead read = buckets[i]; read != null; read = read.link) {
                if (condition.test(read)) {
                    return read;
                }
            }
        }
        return null;
    }

    /** {@return the earliest time limit} */
    long nextTimeout() {
        return deadlines.next();
    }

    /** {@return a Read whose time limit has passed, without removing it from the table; null if there is none} */
    @Nullable
    OutstandingRead overdue(long nowNanos) {
        return deadlines.pollDue(nowNanos);
    }
}
