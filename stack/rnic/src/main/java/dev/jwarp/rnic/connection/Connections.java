package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.DeviceLimits;
import dev.jwarp.rnic.core.LastSteps;
import dev.jwarp.rnic.core.Ordered;
import dev.jwarp.rnic.core.QueuePairCounts;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.QueuePairAttributes;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a context has for connections: transport, connection manager, queue pairs of type RC. Any thread. */
public final class Connections {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private final ConnectionCore core;
    private final CompletionQueues completionQueues;
    private final AtomicBoolean shortageTold = new AtomicBoolean();
    private final Set<RnicEventChannel> eventChannels = Ordered.newSet();
    private final Set<RnicCmId> ids = Ordered.newSet();
    private final Set<RnicQueuePair> queuePairs = Ordered.newSet();
    private final Consumer<RnicQueuePair> forget = this::remove;

    public Connections(ConnectionCore core, CompletionQueues completionQueues) {
        this.core = core;
        this.completionQueues = completionQueues;
    }

    // ---- what a program makes

    public RnicEventChannel createEventChannel() {
        RnicEventChannel channel = new RnicEventChannel(core.context(), "event channel", eventChannels::remove);
        eventChannels.add(channel);
        return channel;
    }

    public RnicCmId createId(CmEventChannel channel) {
        if (!(channel instanceof RnicEventChannel own) || !eventChannels.contains(own)) {
            throw ContextCore.foreign("event channel");
        }
        return newId(own);
    }

    public RnicCmId createId() {
        return newId(null);
    }

    private RnicCmId newId(@Nullable RnicEventChannel channel) {
        RnicCmId id = new RnicCmId(this, channel);
        add(id);
        id.events().open();
        return id;
    }

    public RnicQueuePair newQueuePair(RnicProtectionDomain domain, QueuePairAttributes wanted) {
        ContextCore context = core.context();
        ContextCore.checkLimit(queuePairs.size(), context.attributes().maxQueuePairs(), "queue pairs");
        DeviceLimits.check(wanted, context.attributes());
        RnicCompletionQueue sends = completionQueues.own(wanted.sendCompletionQueue());
        RnicCompletionQueue receives = completionQueues.own(wanted.receiveCompletionQueue());
        int number = newNumber();
        RnicQueuePair queuePair;
        try {
            queuePair = new RnicQueuePair(core, domain, wanted, new Completer(number, sends, receives), forget);
        } catch (Throwable e) {
            context.freeQueuePairNumber(number);
            throw e;
        }
        RnicSharedReceiveQueue shared = queuePair.shared();
        try {
            queuePair.join();
            queuePairs.add(queuePair);
            queuePair.completer().place(completionQueues.places().add(queuePair));
            tellShortage(sends, sends == receives && shared != null ? shared.capacity() : 0);
            tellShortage(receives, shared == null ? 0 : shared.capacity());
            return queuePair;
        } catch (Throwable e) {
            if (!remove(queuePair)) { // wherever it is known by now
                context.freeQueuePairNumber(number);
            }
            throw e;
        }
    }

    /**
     * Once a context: a service makes many queue pairs in the same way. A warning, and no refusal, as libibverbs takes such
     * queues too, and programs that have few of their sends reported rely on it.
     */
    private void tellShortage(RnicCompletionQueue queue, int sharedReceives) {
        String shortage = shortageTold.get() ? null : queue.shortage(sharedReceives);
        if (shortage != null && shortageTold.compareAndSet(false, true)) {
            LOG.warn("{} (Told once in the life of a context.)", shortage);
        }
    }

    // ---- for what was made from it

    /** {@return what each connection needs} */
    public ConnectionCore core() {
        return core;
    }

    /** Waits until no owner places data of a peer into memory of {@code domain} that was deregistered before. */
    public void awaitPlacements(RnicProtectionDomain domain) {
        core.liveStreams().fence(domain);
    }

    /** {@return the ids, as they are at any time} */
    public Set<RnicCmId> ids() {
        return Collections.unmodifiableSet(ids);
    }

    /** {@return the queue pairs, as they are at any time} */
    public Set<RnicQueuePair> queuePairs() {
        return Collections.unmodifiableSet(queuePairs);
    }

    /** {@return how many connections are not over yet, those of closed queue pairs included} */
    public int live() {
        return core.liveStreams().size();
    }

    /** Adds what the queue pairs still hold to themselves. */
    public void addCounts(QueuePairCounts live) {
        Ordered.forEach(queuePairs, queuePair -> live.add(queuePair.completer().counts()));
    }

    void add(RnicCmId id) {
        ids.add(id);
    }

    void remove(RnicCmId id) {
        ids.remove(id);
    }

    private int newNumber() {
        int number;
        do {
            number = core.context().newHandle();
        } while (!core.context().takeQueuePairNumber(number)); // one of datagrams may have it
        return number;
    }

    /** {@return whether it was one of the open ones} */
    boolean remove(RnicQueuePair queuePair) {
        boolean known = queuePairs.remove(queuePair);
        if (known) {
            completionQueues.places().remove(queuePair.completer().place());
            core.context().counters().add(queuePair.completer().counts());
            core.context().freeQueuePairNumber(queuePair.number());
        }
        queuePair.leave();
        return known;
    }

    // ---- the end of the context

    /** Ends all connections, those that are ending in order with patience; closes ids and queue pairs, whichever throw. */
    public void end() {
        new LastSteps<>(
                        this,
                        List.of(
                                Connections::endStreams,
                                all -> Ordered.forEach(all.ids, RnicCmId::close),
                                all -> Ordered.forEach(all.queuePairs, RnicQueuePair::close)))
                .run();
    }

    private void endStreams() {
        core.liveStreams().end(core.streamSettings().disconnectTimeoutNanos());
    }

    public void shutDownChannels() {
        Ordered.forEach(eventChannels, RnicEventChannel::deliverNow);
        Ordered.forEach(eventChannels, RnicEventChannel::shutDown);
    }
}
