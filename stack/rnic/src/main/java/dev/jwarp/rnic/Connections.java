package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.rdmap.StreamSettings;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.QueuePairAttributes;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a context has for connections: transport, connection manager, queue pairs of type RC. Any thread. */
final class Connections {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final RnicContext context;
    private final Transport transport;
    private final StreamSettings streamSettings;
    private final long connectTimeoutNanos;
    private final int defaultBacklog;
    private final LiveStreams liveStreams;
    private final AtomicBoolean shortageTold = new AtomicBoolean();
    private final Set<RnicEventChannel> eventChannels = Ordered.newSet();
    final Set<RnicCmId> ids = Ordered.newSet();
    final Set<RnicQueuePair> queuePairs = Ordered.newSet();

    Connections(RnicContext context, Transport transport, Configuration configuration) {
        this.context = context;
        this.transport = transport;
        streamSettings = new StreamSettings(
                configuration.on(RnicSetting.EXTENSIONS),
                configuration.number(RnicSetting.RESPONSES_IN_A_ROW),
                millis(configuration, RnicSetting.DISCONNECT_TIMEOUT),
                configuration.number(RnicSetting.NUDGE) * NANOS_PER_MILLI,
                configuration.number(RnicSetting.PROBE) * NANOS_PER_MILLI);
        connectTimeoutNanos = millis(configuration, RnicSetting.CONNECT_TIMEOUT);
        defaultBacklog = configuration.number(RnicSetting.BACKLOG);
        liveStreams = new LiveStreams(context.progression());
    }

    private static long millis(Configuration configuration, RnicSetting setting) {
        return configuration.number(setting) * NANOS_PER_MILLI;
    }

    // ---- what a program makes

    RnicEventChannel createEventChannel() {
        RnicEventChannel channel = new RnicEventChannel(context);
        eventChannels.add(channel);
        return channel;
    }

    RnicCmId createId(CmEventChannel channel) {
        if (!(channel instanceof RnicEventChannel own) || !eventChannels.contains(own)) {
            throw RnicContext.foreign("event channel");
        }
        return newId(own);
    }

    RnicCmId createId() {
        return newId(null);
    }

    private RnicCmId newId(@Nullable RnicEventChannel channel) {
        RnicCmId id = new RnicCmId(context, channel);
        add(id);
        id.events().open();
        return id;
    }

    RnicQueuePair newQueuePair(RnicProtectionDomain domain, QueuePairAttributes wanted) {
        context.checkLimit(queuePairs.size(), context.attributes().maxQueuePairs(), "queue pairs");
        DeviceLimits.check(wanted, context);
        RnicSharedReceiveQueue shared = domain.sharedReceiveQueue(wanted);
        RnicCompletionQueue sends = context.own(wanted.sendCompletionQueue());
        RnicCompletionQueue receives = context.own(wanted.receiveCompletionQueue());
        RnicQueuePair queuePair =
                new RnicQueuePair(context, domain, context.newHandle(), wanted, sends, receives, shared);
        try {
            sends.addUser(queuePair);
            receives.addUser(queuePair);
            if (shared != null) {
                shared.addUser(queuePair);
            }
            domain.add(queuePair);
            queuePairs.add(queuePair);
            queuePair.completer().place(context.queuePairPlaces().add(queuePair));
            tellShortage(sends, sends == receives && shared != null ? shared.capacity() : 0);
            tellShortage(receives, shared == null ? 0 : shared.capacity());
            return queuePair;
        } catch (Throwable e) {
            remove(queuePair); // wherever it is known by now
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

    Transport transport() {
        return transport;
    }

    StreamSettings streamSettings() {
        return streamSettings;
    }

    long connectTimeoutNanos() {
        return connectTimeoutNanos;
    }

    int defaultBacklog() {
        return defaultBacklog;
    }

    LiveStreams liveStreams() {
        return liveStreams;
    }

    /** Waits until no owner places data of a peer into memory of {@code domain} that was deregistered before. */
    void awaitPlacements(RnicProtectionDomain domain) {
        liveStreams.fence(domain);
    }

    /** Adds what the queue pairs still hold to themselves. */
    void addCounts(QueuePairCounts live) {
        Ordered.forEach(queuePairs, queuePair -> live.add(queuePair.completer().counts()));
    }

    void add(RnicCmId id) {
        ids.add(id);
    }

    void remove(RnicCmId id) {
        ids.remove(id);
    }

    void remove(RnicEventChannel channel) {
        eventChannels.remove(channel);
    }

    void remove(RnicQueuePair queuePair) {
        if (queuePairs.remove(queuePair)) {
            context.queuePairPlaces().remove(queuePair.completer().place());
            context.deviceCounters().add(queuePair.completer().counts());
        }
        queuePair.sendCompletions().removeUser(queuePair);
        queuePair.receiveCompletions().removeUser(queuePair);
        RnicSharedReceiveQueue shared = queuePair.shared();
        if (shared != null) {
            shared.removeUser(queuePair);
        }
        queuePair.protectionDomain().forget(queuePair);
    }

    // ---- the end of the context

    /** Ends all connections, those that are ending in order with patience; closes ids and queue pairs, whichever throw. */
    void end() {
        new LastSteps(
                        () -> liveStreams.end(streamSettings.disconnectTimeoutNanos()),
                        () -> Ordered.forEach(ids, RnicCmId::close),
                        () -> Ordered.forEach(queuePairs, RnicQueuePair::close))
                .run();
    }

    void shutDownChannels() {
        Ordered.forEach(eventChannels, RnicEventChannel::shutDown);
    }
}
