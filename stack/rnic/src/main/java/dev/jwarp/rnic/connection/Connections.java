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

/** What a context has for connections: transport, connection manager, queue pairs of type RC. Any thread. */
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

    // ---- what a program makes

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
            if (!queuePairs.remove(queuePair)) { // wherever it is known by now
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

    /** {@return whether the port mapper of a peer's host is asked before a connection is made} */
    boolean asksPortMapper() {
        return asksPortMapper;
    }

    /** {@return whether the questions of peers' port mappers about listeners are answered} */
    boolean answersPortMapper() {
        return answersPortMapper;
    }

    /** {@return where each connection is known until it is over} */
    LiveConnections liveConnections() {
        return liveConnections;
    }

    /** Waits until no owner places data of a peer into memory of {@code domain} that was deregistered before. */
    public void awaitPlacements(RnicProtectionDomain domain) {
        liveConnections.fence(domain);
    }

    /** {@return the ids, as they are at any time} */
    public Set<RnicCmId> ids() {
        return Collections.unmodifiableSet(ids);
    }

    public QueuePairs<RnicQueuePair> queuePairs() {
        return queuePairs;
    }

    /** {@return how many connections are not over yet, those of closed queue pairs included} */
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
        } while (!context.takeQueuePairNumber(number)); // one of datagrams may have it
        return number;
    }

    // ---- the end of the context

    /** Ends all connections, those that are ending in order with patience; closes ids and queue pairs, whichever throw. */
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
