package dev.jwarp.rnic;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.Progressing;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.connection.Connections;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.DeviceLimits;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.rnic.core.QueuePairCounts;
import dev.jwarp.rnic.datagram.Datagrams;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.ProgramCondition;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.stat.Publisher;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import dev.jwarp.verbs.ThreadModel;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** An opened device with its transports, its STags, and the objects that were created from it. */
final class RnicContext implements Context, RnicProtectionDomain.Home {
    private final RnicDevice device;
    private final Configuration configuration;

    /** The transport for connections, the transport for datagrams, or both; a poll of the first one drives both. */
    final List<Progressing> transports;

    private final ContextCore core;
    private final CompletionQueues completionQueues;

    /** Null without a transport for connections. */
    private final @Nullable Connections connections;

    /** Null without a transport for datagrams. */
    private final @Nullable Datagrams datagrams;

    final Set<RnicProtectionDomain> domains = OrderedSet.newSet();
    private final Set<ProgramCondition> conditions = OrderedSet.newSet();

    /** The rows for other processes; null if the context is not shown. */
    private volatile @Nullable ContextRows shown;

    RnicContext(
            RnicDevice device,
            Configuration configuration,
            List<Progressing> transports,
            Progression progression,
            RandomGenerator randomness) {
        this.device = device;
        this.configuration = configuration;
        this.transports = List.copyOf(transports);
        core = new ContextCore(this, device.attributes(configuration), progression, randomness);
        completionQueues = new CompletionQueues(core);
        Transport streams = transport(Transport.class);
        DatagramTransport ports = transport(DatagramTransport.class);
        connections = streams == null ? null : new Connections(core, completionQueues, streams, configuration);
        datagrams = ports == null ? null : new Datagrams(core, completionQueues, ports, configuration);
    }

    private <T extends Progressing> @Nullable T transport(Class<T> kind) {
        return transports.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElse(null);
    }

    // ---- objects that a program creates

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        core.checkOpen();
        ContextCore.checkLimit(domains.size(), DeviceLimits.MAX_PROTECTION_DOMAINS, "protection domains");
        RnicProtectionDomain domain = new RnicProtectionDomain(core, this, core.newHandle());
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        core.checkOpen();
        return completionQueues.newChannel();
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        core.checkOpen();
        return completionQueues.newQueue(entries, channel);
    }

    @Override
    public CmEventChannel createEventChannel() {
        core.checkOpen();
        return connections().createEventChannel();
    }

    @Override
    public CmId createId(CmEventChannel channel) {
        core.checkOpen();
        RdmaException.requireArgument(channel, "channel");
        return connections().createId(channel);
    }

    @Override
    public CmId createId() {
        core.checkOpen();
        return connections().createId();
    }

    @Override
    public ResolvedService resolve(InetSocketAddress resolver, long serviceId, ResolveParameters parameters) {
        core.checkOpen();
        RdmaException.requireArgument(resolver, "resolver");
        RdmaException.requireArgument(parameters, "parameters");
        return datagrams().services().resolve(resolver, serviceId, parameters);
    }

    @Override
    public ServiceListener listenService(InetSocketAddress local, long serviceId, DatagramQueuePair queuePair) {
        core.checkOpen();
        RdmaException.requireArgument(local, "local");
        RdmaException.requireArgument(queuePair, "queuePair");
        return datagrams().services().listen(local, serviceId, queuePair);
    }

    @Override
    public ServiceListener listenService(InetSocketAddress local, long serviceId, ServiceHandler handler) {
        core.checkOpen();
        RdmaException.requireArgument(local, "local");
        RdmaException.requireArgument(handler, "handler");
        return datagrams().services().listen(local, serviceId, handler);
    }

    /**
     * {@return the part of the context for connections}
     *
     * @throws RdmaException NOT_SUPPORTED without a transport for them
     */
    Connections connections() {
        if (connections == null) {
            throw noTransport("connections, and no queue pairs of type RC", "tcp");
        }
        return connections;
    }

    /**
     * {@return the part of the context for datagrams}
     *
     * @throws RdmaException NOT_SUPPORTED without a transport for them
     */
    Datagrams datagrams() {
        if (datagrams == null) {
            throw noTransport("datagrams, and no queue pairs of type UD or RD", "udp");
        }
        return datagrams;
    }

    private static RdmaException noTransport(String what, String transport) {
        return new RdmaException(
                RdmaErrorCode.NOT_SUPPORTED,
                "The context has no " + what + ": add jwarp-transport-" + transport + " to the class path.");
    }

    boolean hasConnections() {
        return connections != null;
    }

    boolean hasDatagrams() {
        return datagrams != null;
    }

    /** Reports the use of the transports' limits. */
    void limits(LimitSink sink) {
        transports.forEach(transport -> transport.limits(sink));
    }

    // ---- events, counters, settings

    @Override
    public @Nullable AsyncEvent pollAsyncEvent() {
        core.asyncEvents().delivery().checkNone();
        return core.progression().pollNext(core.asyncEvents());
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) {
        core.asyncEvents().delivery().checkNone();
        return core.progression().awaitNext(core.asyncEvents(), Progression.nanos(timeout));
    }

    @Override
    public void onAsyncEvent(Consumer<AsyncEvent> handler) {
        core.asyncEvents().delivery().begin(handler);
    }

    @Override
    public boolean poll() {
        return core.progression().poll();
    }

    @Override
    public boolean flush() {
        return core.progression().flush();
    }

    @Override
    public void await(Duration timeout) {
        core.checkOpen();
        core.progression().drive(Progression.nanos(timeout));
    }

    @Override
    public boolean ready(SelectionKey key) {
        core.progression().checkThread();
        return transports.get(0).ready(RdmaException.requireArgument(key, "key"));
    }

    @Override
    public long untilPoll() {
        core.progression().checkThread();
        return transports.get(0).untilPoll();
    }

    @Override
    public ProgressCondition newCondition(BooleanSupplier ready) {
        core.checkOpen();
        ProgramCondition condition = new ProgramCondition(
                core.progression(), RdmaException.requireArgument(ready, "ready"), conditions::remove);
        conditions.add(condition);
        return condition;
    }

    @Override
    public void wakeup() {
        core.progression().wakeup();
    }

    @Override
    public void reloadKeys() {
        core.checkOpen();
        DatagramTransport ports = transport(DatagramTransport.class);
        if (ports == null) {
            throw new RdmaException(RdmaErrorCode.INVALID_SETTING, "this device has no datagrams, so it has no keys");
        }
        try {
            ports.reloadKeys();
        } catch (IllegalArgumentException e) {
            throw new RdmaException(RdmaErrorCode.INVALID_SETTING, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public List<Counter> counters() {
        QueuePairCounts live = new QueuePairCounts();
        if (connections != null) {
            connections.queuePairs().addCounts(live);
        }
        if (datagrams != null) {
            datagrams.queuePairs().addCounts(live);
        }
        List<TransportCounter> carried = transports.stream()
                .flatMap(transport -> transport.counters().stream())
                .toList();
        List<Counter> all = core.counters().all(live, carried);
        return datagrams == null ? all : datagrams.withCounters(all);
    }

    @Override
    public List<EffectiveSetting> configuration() {
        return configuration.all();
    }

    @Override
    public RnicDevice device() {
        return device;
    }

    @Override
    public Progress progress() {
        return core.progression().kind();
    }

    @Override
    public ThreadModel threadModel() {
        return core.progression().single() ? ThreadModel.SINGLE : ThreadModel.MULTI;
    }

    // ---- for objects created from the context

    ContextCore core() {
        return core;
    }

    CompletionQueues completionQueues() {
        return completionQueues;
    }

    @Override
    public QueuePair newQueuePair(RnicProtectionDomain domain, QueuePairAttributes attributes) {
        return connections().newQueuePair(domain, attributes);
    }

    @Override
    public DatagramQueuePair newQueuePair(
            RnicProtectionDomain domain, QueuePairType type, QueuePairAttributes attributes, DatagramAttributes its) {
        return datagrams().newQueuePair(domain, type, attributes, its);
    }

    @Override
    public void awaitPlacements(RnicProtectionDomain domain, @Nullable TaggedBuffer registration) {
        if (connections != null) {
            connections.awaitPlacements(domain);
        }
        if (datagrams != null && registration != null) {
            datagrams.deregistered(domain, registration);
        }
    }

    @Override
    public void remove(RnicProtectionDomain domain) {
        domains.remove(domain);
    }

    /** Shows the context to other processes of the user. */
    void show() {
        ContextRows rows = new ContextRows(this);
        shown = rows;
        Publisher.ofProcess().add(rows);
    }

    @Override
    public void close() {
        core.progression().checkThread();
        core.progression().checkMayWait();
        if (!core.close()) {
            return;
        }
        if (shown != null) {
            Publisher.ofProcess().remove(shown);
        }
        try {
            try {
                if (connections != null) {
                    connections.end();
                }
            } finally {
                if (datagrams != null) {
                    datagrams.end();
                }
            }
        } finally {
            try {
                transports.get(0).close(); // drives the other one, too
            } finally {
                transports.stream().skip(1).forEach(Progressing::close);
                shutDown();
            }
        }
    }

    @Override
    public String toString() {
        return "context of " + device.name() + " with " + progress().name().toLowerCase(Locale.ROOT) + " progress";
    }

    private void shutDown() {
        OrderedSet.forEach(conditions, ProgramCondition::close);
        completionQueues.deliver(); // the threads of the context have ended
        completionQueues.shutDown();
        if (connections != null) {
            connections.shutDownChannels();
        }
        core.asyncEvents().delivery().deliverNow();
        OrderedSet.forEach(domains, RnicProtectionDomain::shutDown);
        core.asyncEvents().close();
    }
}
