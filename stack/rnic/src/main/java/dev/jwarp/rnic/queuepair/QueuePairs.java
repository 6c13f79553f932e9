package dev.jwarp.rnic.queuepair;

import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.DeviceLimits;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.rnic.core.QueuePairCounts;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import java.util.Collections;
import java.util.Set;

/**
 * The open queue pairs of a context that have connections, or those that have datagrams. Any thread.
 *
 * @param <Q> which of these
 */
public final class QueuePairs<Q extends QueuePairBase<?>> {
    private final ContextCore core;
    private final CompletionQueues completionQueues;
    private final Set<Q> open = OrderedSet.newSet();

    /** None yet. */
    public QueuePairs(ContextCore core, CompletionQueues completionQueues) {
        this.core = core;
        this.completionQueues = completionQueues;
    }

    /** Checks that there can be one more, as {@code wanted} says. */
    public void check(QueuePairAttributes wanted) {
        ContextCore.checkLimit(open.size(), core.attributes().maxQueuePairs(), "queue pairs");
        DeviceLimits.check(wanted, core.attributes());
    }

    /** What {@code queuePair} works with knows it from here on. If this throws, some of these know it: {@link #remove} follows. */
    public void add(Q queuePair) {
        queuePair.join();
        open.add(queuePair);
        queuePair.completer().place(completionQueues.placeOf(queuePair));
    }

    /**
     * What {@code queuePair} worked with knows it no longer.
     *
     * @return whether it was open: what it counted is kept then, and its number is free
     */
    public boolean remove(Q queuePair) {
        queuePair.leave();
        boolean known = open.remove(queuePair);
        if (known) {
            completionQueues.freePlace(queuePair.completer().place());
            core.counters().add(queuePair.completer().counts());
            core.freeQueuePairNumber(queuePair.number());
        }
        return known;
    }

    /** {@return the queue pairs, as they are at any time} */
    public Set<Q> all() {
        return Collections.unmodifiableSet(open);
    }

    /** Adds what the queue pairs still hold to themselves. */
    public void addCounts(QueuePairCounts live) {
        OrderedSet.forEach(open, queuePair -> live.add(queuePair.completer().counts()));
    }

    /** Closes all. */
    public void close() {
        OrderedSet.forEach(open, QueuePair::close);
    }
}
