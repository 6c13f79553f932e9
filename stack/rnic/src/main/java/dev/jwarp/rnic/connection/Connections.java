package dev.jwarp.rnic.connection;

import dev.jwarp.llp.Transport;
import dev.jwarp.rdmap.Nudge;
import dev.jwarp.rdmap.StreamSettings;
import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.LastSteps;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.rnic.core.RnicSetting;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.rnic.queuepair.QueuePairs;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.QueuePairAttributes;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The part of a context for connections: transport, connection manager, queue pairs of type RC. Any thread. */
public final class Connections {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final ContextCore context;
    private final CompletionQueues completionQueues;
    private final Transport transport;
    private final StreamSettings streamSettings;
    private final long connectTimeoutNanos;
    private final boolean asksPortMapper;
    private final boolean answersPortMapper;
    private final LiveConnections liveConnections;
    private final AtomicBoolean shortageTold = new AtomicBoolean();
    private final Set<RnicEventChannel> eventChannels = OrderedSet.newSet();
    private final Set<RnicCmId> ids = OrderedSet.newSet();
    private final QueuePairs<RnicQueuePair> queuePairs;

    public Connections(
            ContextCore context, CompletionQueues completionQueues, Transport transport, Configuration configuration) {
        this.context = context;
        this.completionQueues = completionQueues;
        this.transport = transport;
        streamSettings = new StreamSettings(
                configuration.on(RnicSetting.EXTENSIONS),
                StreamSettings.DEFAULT.responsesInARow(),
                millis(configuration, RnicSetting.DISCONNECT_TIMEOUT),
                Nudge.valueOf(configuration.text(RnicSetting.NUDGE).toUpperCase(Locale.ROOT)),
                millis(configuration, RnicSetting.PROBE));
        connectTimeoutNanos = millis(configuration, RnicSetting.CONNECT_TIMEOUT);
        String portMapper = configuration.checked(RnicSetting.PORT_MAPPER);
        answersPortMapper = portMapper.equals("answer") || portMapper.equals("both");
        asksPortMapper = portMapper.equals("ask") || portMapper.equals("both");
        liveConnections = new LiveConnections(context.progression());
        queuePairs = new QueuePairs<>(context, completionQueues);
    }

    private static long millis(Configuration configuration, RnicSetting setting) {
        return configuration.number(setting) * NANOS_PER_MILLI;
    }

    // ---- objects that a program creates

    public RnicEventChannel createEventChannel() {
        RnicEventChannel channel = new RnicEventChannel(context, "event channel", eventChannels::remove);
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
        queuePairs.check(wanted);
        RnicCompletionQueue sends = completionQueues.own(wanted.sendCompletionQueue());
        RnicCompletionQueue receives = completionQueues.own(wanted.receiveCompletionQueue());
        int number = newNumber();
        RnicQueuePair queuePair;
        try {
            queuePair = new RnicQueuePair(this, domain, wanted, new Completer(number, sends, receives));
        } catch (Throwable e) {
            context.freeQueuePairNumber(number);
            throw e;
        }
        RnicSharedReceiveQueue shared = queuePair.shared();
        try {
            queuePairs.add(queuePair);
            tellShortage(sends, sends == receives && shared != null ? shared.capacity() : 0);
            tellShortage(receives, shared == null ? 0 : shared.capacity());
            return queuePair;
        } catch (Throwable e) {
            if (!queuePairs.remove(queuePair)) { // removed from wherever it was added
                context.freeQueuePairNumber(number);
            }
            throw e;
        }
    }

    /**
     * Logs a warning if a completion queue is too small; once per context, because a service creates many similar queue
     * pairs. Only a warning, because libibverbs accepts such queues, and programs with few signaled sends rely on that.
     */
    private void tellShortage(RnicCompletionQueue queue, int sharedReceives) {
        String shortage = shortageTold.get() ? null : queue.shortage(sharedReceives);
        if (shortage != null && shortageTold.compareAndSet(false, true)) {
            LOG.warn("{} (Logged once per context.)", shortage);
        }
    }

    // ---- for objects of the context

    ContextCore context() {
        return context;
    }

    Transport transport() {
        return transport;
    }

    StreamSettings streamSettings() {
        return streamSettings;
    }

    long connectTimeoutNanos() {
        return connectTimeoutNanos;
    }

    /** {@return whether a connect first asks the port mapper of the peer's host} */
    boolean asksPortMapper() {
        return asksPortMapper;
    }

    /** {@return whether this context answers requests of peers' port mappers about its listeners} */
    boolean answersPortMapper() {
        return answersPortMapper;
    }

    /** {@return the connections that have not ended} */
    LiveConnections liveConnections() {
        return liveConnections;
    }

    /** Waits until no owner places data of a peer into deregistered memory of {@code domain}. */
    public void awaitPlacements(RnicProtectionDomain domain) {
        liveConnections.fence(domain);
    }

    /** {@return a live view of the ids} */
    public Set<RnicCmId> ids() {
        return Collections.unmodifiableSet(ids);
    }

    public QueuePairs<RnicQueuePair> queuePairs() {
        return queuePairs;
    }

    /** {@return the number of connections that have not ended, including those of closed queue pairs} */
    public int live() {
        return liveConnections.size();
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
            number = context.newHandle();
        } while (!context.takeQueuePairNumber(number)); // a datagram queue pair may have the number
        return number;
    }

    // ---- the end of the context

    /**
     * Ends all connections, waiting for those that end in order; then closes all ids and queue pairs, even if some of
     * them throw.
     */
    public void end() {
        new LastSteps<>(
                        this,
                        List.of(
                                all -> all.liveConnections.end(all.streamSettings.disconnectTimeoutNanos()),
                                all -> OrderedSet.forEach(all.ids, RnicCmId::close),
                                all -> all.queuePairs.close()))
                .run();
    }

    public void shutDownChannels() {
        OrderedSet.forEach(eventChannels, RnicEventChannel::deliverNow);
        OrderedSet.forEach(eventChannels, RnicEventChannel::shutDown);
    }
}
