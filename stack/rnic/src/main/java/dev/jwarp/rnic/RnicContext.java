package dev.jwarp.rnic;

import dev.jwarp.base.Faults;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.stat.Publisher;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** An opened device: its transport, its STags, and everything that was made from it. */
final class RnicContext implements Context {
    private static final Faults FAULTS = new Faults(LoggerFactory.getLogger(RnicContext.class)::error);
    private static final long PAGE = 4096;

    /** Where addresses begin: they look like those of a process, and 0 is never one of them. */
    private static final long FIRST_ADDRESS = 0x7000_0000_0000L;

    /** Addresses for datagrams lie below 2^62. */
    private static final long RANDOM_PAGES = (1L << 62) / PAGE;

    private final RnicDevice device;
    private final DeviceAttributes attributes;
    private final Configuration configuration;
    final Progressing transport;
    private final Progression progression;
    private final STagTable tags;
    private final RandomGenerator randomness;
    private final Counters counters = new Counters();
    private final QueuePairPlaces queuePairPlaces = new QueuePairPlaces();
    private final AsyncEvents asyncEvents;

    /** What there is for connections; null on a device for datagrams. */
    private final @Nullable Connections connections;

    /** What there is for datagrams; null on a device for connections. */
    private final @Nullable Datagrams datagrams;

    final Set<RnicProtectionDomain> domains = Ordered.newSet();
    final Set<RnicCompletionQueue> completionQueues = Ordered.newSet();
    final Set<RnicCompletionChannel> completionChannels = Ordered.newSet();
    private final AtomicInteger handles = new AtomicInteger();
    private final AtomicLong nextAddress = new AtomicLong(FIRST_ADDRESS);
    private volatile boolean closed;

    /** What other processes see of it; null if nothing. */
    private volatile @Nullable ContextRows shown;

    RnicContext(
            RnicDevice device,
            Configuration configuration,
            Progressing transport,
            Progression progression,
            RandomGenerator randomness) {
        this.device = device;
        this.configuration = configuration;
        this.transport = transport;
        this.progression = progression;
        this.randomness = randomness;
        attributes = device.attributes(configuration);
        tags = new STagTable(randomness, DeviceLimits.MAX_MEMORY_REGIONS + DeviceLimits.MAX_MEMORY_WINDOWS);
        asyncEvents = new AsyncEvents(progression, counters, configuration.number(RnicSetting.ASYNC_EVENTS));
        connections = transport instanceof Transport streams ? new Connections(this, streams, configuration) : null;
        datagrams = transport instanceof DatagramTransport socket
                ? new Datagrams(this, socket, configuration, randomness)
                : null;
    }

    // ---- what a program makes

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        checkOpen();
        checkLimit(domains.size(), DeviceLimits.MAX_PROTECTION_DOMAINS, "protection domains");
        RnicProtectionDomain domain = new RnicProtectionDomain(this, newHandle());
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        checkOpen();
        RnicCompletionChannel channel = new RnicCompletionChannel(this);
        completionChannels.add(channel);
        return channel;
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        checkOpen();
        checkRange(entries, 1, attributes.maxCompletionQueueEntries(), "entries of a completion queue");
        checkLimit(completionQueues.size(), attributes.maxCompletionQueues(), "completion queues");
        if (channel != null && !(channel instanceof RnicCompletionChannel own && completionChannels.contains(own))) {
            throw foreign("completion channel");
        }
        RnicCompletionChannel own = (RnicCompletionChannel) channel;
        RnicCompletionQueue queue = new RnicCompletionQueue(this, newHandle(), entries, own);
        if (own != null) {
            own.addUser();
        }
        completionQueues.add(queue);
        return queue;
    }

    @Override
    public CmEventChannel createEventChannel() {
        checkOpen();
        return connections().createEventChannel();
    }

    @Override
    public CmId createId(CmEventChannel channel) {
        checkOpen();
        RdmaException.requireArgument(channel, "channel");
        return connections().createId(channel);
    }

    @Override
    public CmId createId() {
        checkOpen();
        return connections().createId();
    }

    @Override
    public ResolvedService resolve(InetSocketAddress resolver, long serviceId, ResolveParameters parameters) {
        checkOpen();
        RdmaException.requireArgument(resolver, "resolver");
        RdmaException.requireArgument(parameters, "parameters");
        return datagrams().services().resolve(resolver, serviceId, parameters);
    }

    @Override
    public ServiceListener listenService(InetSocketAddress local, long serviceId, DatagramQueuePair queuePair) {
        checkOpen();
        RdmaException.requireArgument(local, "local");
        RdmaException.requireArgument(queuePair, "queuePair");
        return datagrams().services().listen(local, serviceId, queuePair);
    }

    @Override
    public ServiceListener listenService(InetSocketAddress local, long serviceId, ServiceHandler handler) {
        checkOpen();
        RdmaException.requireArgument(local, "local");
        RdmaException.requireArgument(handler, "handler");
        return datagrams().services().listen(local, serviceId, handler);
    }

    /**
     * {@return what there is for connections}
     *
     * @throws RdmaException NOT_SUPPORTED on a device for datagrams
     */
    Connections connections() {
        if (connections == null) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_SUPPORTED,
                    device.name() + " has datagrams only: no connections, no queue pairs of type RC. Open "
                            + RnicDevice.CONNECTIONS + " for those.");
        }
        return connections;
    }

    /**
     * {@return what there is for datagrams}
     *
     * @throws RdmaException NOT_SUPPORTED on a device for connections
     */
    Datagrams datagrams() {
        if (datagrams == null) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_SUPPORTED,
                    device.name() + " has connections only: no datagrams, no queue pairs of type UD or RD. Open "
                            + RnicDevice.DATAGRAMS + " for those.");
        }
        return datagrams;
    }

    boolean hasDatagrams() {
        return datagrams != null;
    }

    RnicCompletionQueue own(CompletionQueue queue) {
        if (!(queue instanceof RnicCompletionQueue own) || !completionQueues.contains(own)) {
            throw foreign("completion queue");
        }
        return own;
    }

    static RdmaException foreign(String what) {
        return new RdmaException(
                RdmaErrorCode.INVALID_ARGUMENT, "The " + what + " is closed, or belongs to another context.");
    }

    // ---- events, counters, settings

    @Override
    public @Nullable AsyncEvent pollAsyncEvent() {
        AsyncEvent event = asyncEvents.take();
        if (event == null && progression.poll()) {
            event = asyncEvents.take();
        }
        return event;
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) {
        long limit = Progression.nanos(timeout);
        long start = progression.now();
        long left = limit;
        while (progression.await(asyncEvents, left)) {
            AsyncEvent event = asyncEvents.take();
            if (event != null) {
                return event;
            }
            checkOpen();
            left = limit - (progression.now() - start);
        }
        return null;
    }

    @Override
    public boolean poll() {
        return progression.poll();
    }

    @Override
    public List<Counter> counters() {
        QueuePairCounts live = new QueuePairCounts();
        if (connections != null) {
            connections.addCounts(live);
        }
        if (datagrams == null) {
            return counters.all(live, transport.counters());
        }
        datagrams.addCounts(live);
        return datagrams.withCounters(counters.all(live, transport.counters()));
    }

    @Override
    public List<EffectiveSetting> configuration() {
        return configuration.all();
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public Progress progress() {
        return progression.kind();
    }

    // ---- for everything made from it

    DeviceAttributes attributes() {
        return attributes;
    }

    Progression progression() {
        return progression;
    }

    RandomGenerator randomness() {
        return randomness;
    }

    STagTable tags() {
        return tags;
    }

    QueuePairPlaces queuePairPlaces() {
        return queuePairPlaces;
    }

    Counters deviceCounters() {
        return counters;
    }

    AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    /** {@return a number that nothing else of this context has} */
    int newHandle() {
        return handles.incrementAndGet();
    }

    /** {@return a page-aligned address for a region, with a page that is nobody's behind it} */
    long newAddress(int length) {
        if (datagrams != null) {
            // datagram-iWARP §17 (DG-17-2): not to be guessed. Two regions meet once in 2^38 if there are a thousand
            // of a gigabyte.
            return randomness.nextLong(1, RANDOM_PAGES) * PAGE;
        }
        long pages = (length + PAGE - 1) / PAGE + 1;
        return nextAddress.getAndAdd(pages * PAGE);
    }

    /** Waits until no owner places data of a peer into memory that was deregistered before. */
    void awaitPlacements(RnicProtectionDomain domain, TaggedBuffer registration) {
        if (connections != null) {
            connections.awaitPlacements(domain);
        }
        if (datagrams != null) {
            datagrams.deregistered(domain, registration);
        }
    }

    /** Something threw that concerns nobody who could be told, and is over. Throws nothing. */
    void failed(String what, Throwable cause) {
        FAULTS.tell("This side failed: {}", what, cause);
    }

    void checkOpen() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The context is closed.");
        }
    }

    void checkLimit(int present, int limit, String what) {
        if (present >= limit) {
            throw new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "There are " + limit + " " + what + " already, the most there can be.");
        }
    }

    /** Checks that the first {@code count} of a list of work requests can be there. */
    static void checkList(Object[] requests, int count) {
        int length = RdmaException.requireArgument(requests, "requests").length;
        if (count < 0 || count > length) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The list has " + length + " work requests: count is 0 to that, not " + count + ".");
        }
    }

    void checkRange(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The number of " + what + " is " + least + " to " + most + ", not " + value + ".");
        }
    }

    void remove(RnicProtectionDomain domain) {
        domains.remove(domain);
    }

    void remove(RnicCompletionQueue queue) {
        completionQueues.remove(queue);
    }

    void remove(RnicCompletionChannel channel) {
        completionChannels.remove(channel);
    }

    /** Lets other processes of the user look at it. */
    void show() {
        ContextRows rows = new ContextRows(this);
        shown = rows;
        Publisher.ofProcess().add(rows);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (shown != null) {
            Publisher.ofProcess().remove(shown);
        }
        try {
            if (connections != null) {
                connections.end();
            }
            if (datagrams != null) {
                datagrams.end();
            }
        } finally {
            try {
                transport.close();
            } finally {
                shutDown();
            }
        }
    }

    @Override
    public String toString() {
        return "context of " + device.name() + " with " + progress().name().toLowerCase(Locale.ROOT) + " progress";
    }

    private void shutDown() {
        Ordered.forEach(completionQueues, RnicCompletionQueue::shutDown);
        Ordered.forEach(completionChannels, RnicCompletionChannel::shutDown);
        if (connections != null) {
            connections.shutDownChannels();
        }
        Ordered.forEach(domains, RnicProtectionDomain::shutDown);
        asyncEvents.close();
    }
}
