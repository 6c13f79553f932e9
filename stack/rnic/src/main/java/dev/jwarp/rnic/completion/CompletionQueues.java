package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The completion queues and channels of a context, and the queue pairs that their completions name. Any thread. */
public final class CompletionQueues implements WorkCompletion.QueuePairs {
    /** Stands for no place. */
    public static final int NOWHERE = -1;

    private final ContextCore core;
    private final Set<RnicCompletionQueue> queues = OrderedSet.newSet();
    private final Set<RnicCompletionChannel> channels = OrderedSet.newSet();

    // The open queue pairs; the index is the place. Completions carry the place, because a reference would cost a write
    // barrier at each step, and would keep closed queue pairs alive. Modified under the monitor.
    private final BitSet taken = new BitSet();
    private volatile @Nullable QueuePair[] pairs = new QueuePair[16];

    public CompletionQueues(ContextCore core) {
        this.core = core;
    }

    public ContextCore core() {
        return core;
    }

    /** {@return the place that {@code pair} has until {@link #freePlace}} */
    public synchronized int placeOf(QueuePair pair) {
        int place = taken.nextClearBit(0);
        if (place == pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * place);
        }
        taken.set(place);
        pairs[place] = pair;
        return place;
    }

    /** Frees the place of a queue pair that is closed. */
    public synchronized void freePlace(int place) {
        if (place != NOWHERE) {
            pairs[place] = null;
            taken.clear(place);
        }
    }

    /** Any thread; allocates nothing. */
    @Override
    public @Nullable QueuePair find(int place, int number) {
        // The queue pair was stored in the array before its completion was published, so this thread sees that array.
        @Nullable QueuePair[] all = pairs;
        QueuePair found = place < 0 || place >= all.length ? null : all[place];
        return found != null && found.number() == number ? found : null; // otherwise the place has been reused
    }

    public RnicCompletionChannel newChannel() {
        RnicCompletionChannel channel = new RnicCompletionChannel(core, channels::remove);
        channels.add(channel);
        return channel;
    }

    public RnicCompletionQueue newQueue(int entries, @Nullable CompletionChannel channel) {
        ContextCore.checkRange(
                entries, 1, core.attributes().maxCompletionQueueEntries(), "entries of a completion queue");
        ContextCore.checkLimit(queues.size(), core.attributes().maxCompletionQueues(), "completion queues");
        if (channel != null && !(channel instanceof RnicCompletionChannel own && channels.contains(own))) {
            throw ContextCore.foreign("completion channel");
        }
        RnicCompletionChannel own = (RnicCompletionChannel) channel;
        RnicCompletionQueue queue = new RnicCompletionQueue(this, core.newHandle(), entries, own);
        if (own != null) {
            own.addUser();
        }
        queues.add(queue);
        return queue;
    }

    /** {@return the queue, if it is one of the context and open} */
    public RnicCompletionQueue own(CompletionQueue queue) {
        if (!(queue instanceof RnicCompletionQueue own) || !queues.contains(own)) {
            throw ContextCore.foreign("completion queue");
        }
        return own;
    }

    /** {@return a live view of the queues} */
    public Set<RnicCompletionQueue> queues() {
        return Collections.unmodifiableSet(queues);
    }

    /** {@return a live view of the channels} */
    public Set<RnicCompletionChannel> channels() {
        return Collections.unmodifiableSet(channels);
    }

    void remove(RnicCompletionQueue queue) {
        queues.remove(queue);
    }

    /** Passes queued completions to the handlers of their queues. */
    public void deliver() {
        OrderedSet.forEach(queues, RnicCompletionQueue::deliver);
    }

    /** Closes all queues and channels with the context, even if they are in use. */
    public void shutDown() {
        OrderedSet.forEach(queues, RnicCompletionQueue::shutDown);
        OrderedSet.forEach(channels, RnicCompletionChannel::shutDown);
    }
}
