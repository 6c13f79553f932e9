package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.Ordered;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import java.util.Collections;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The completion queues and channels of a context, and the queue pairs that their completions name. Any thread. */
public final class CompletionQueues {
    private final ContextCore core;
    private final QueuePairPlaces places = new QueuePairPlaces();
    private final Set<RnicCompletionQueue> queues = Ordered.newSet();
    private final Set<RnicCompletionChannel> channels = Ordered.newSet();

    public CompletionQueues(ContextCore core) {
        this.core = core;
    }

    public ContextCore core() {
        return core;
    }

    /** {@return the places of the queue pairs of the context} */
    public QueuePairPlaces places() {
        return places;
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

    /** {@return the queues, as they are at any time} */
    public Set<RnicCompletionQueue> queues() {
        return Collections.unmodifiableSet(queues);
    }

    /** {@return the channels, as they are at any time} */
    public Set<RnicCompletionChannel> channels() {
        return Collections.unmodifiableSet(channels);
    }

    void remove(RnicCompletionQueue queue) {
        queues.remove(queue);
    }

    /** Hands over what is there for handlers. */
    public void deliver() {
        Ordered.forEach(queues, RnicCompletionQueue::deliver);
    }

    /** The context ends: closes all, also those in use. */
    public void shutDown() {
        Ordered.forEach(queues, RnicCompletionQueue::shutDown);
        Ordered.forEach(channels, RnicCompletionChannel::shutDown);
    }
}
