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
 * The open queue pairs of a context, either those with connections or those for datagrams. Any thread.
 *
 * @param <Q> type of the queue pairs
 */
public final class QueuePairs<Q extends QueuePairBase<?>> {
    private final ContextCore core;
    private final CompletionQueues completionQueues;
    private final Set<Q> open = OrderedSet.newSet();

    /** No queue pairs. */
    public QueuePairs(ContextCore core, CompletionQueues completionQueues) {
        this.core = core;
        this.completionQueues = completionQueues;
    }

    /** Checks that a queue pair with the attributes {@code wanted} can be added. */
    public void check(QueuePairAttributes wanted) {
        ContextCore.checkLimit(open.size(), core.attributes().maxQueuePairs(), "queue pairs");
        DeviceLimits.check(wanted, core.attributes());
    }

    /**
     * Adds a queue pair, and registers it with the objects that it uses. After an exception, {@link #remove} has to
     * follow.
     */
    public void add(Q queuePair) {
        queuePair.join();
        open.add(queuePair);
        queuePair.completer().place(completionQueues.placeOf(queuePair));
    }

    /**
     * Undoes {@link #add}.
     *
     * @return whether the queue pair was open; if so, its counts are kept and its number is free
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

    /** {@return a live view of the queue pairs} */
    public Set<Q> all() {
        return Collections.unmodifiableSet(open);
    }

    /** Adds the counts of all open queue pairs to {@code live}. */
    public void addCounts(QueuePairCounts live) {
        OrderedSet.forEach(open, queuePair -> live.add(queuePair.completer().counts()));
    }

    /** Closes all queue pairs. */
    public void close() {
        OrderedSet.forEach(open, QueuePair::close);
    }
}
