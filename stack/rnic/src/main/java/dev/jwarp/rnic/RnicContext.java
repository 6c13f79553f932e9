package dev.jwarp.rnic;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.rdmap.StreamSettings;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** An opened device: its transport, its STags, and everything that was made from it. */
final class RnicContext implements Context {
    private static final long PAGE = 4096;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** Where addresses begin: they look like those of a process, and 0 is never one of them. */
    private static final long FIRST_ADDRESS = 0x7000_0000_0000L;

    private final RnicDevice device;
    private final DeviceAttributes attributes;
    private final Configuration configuration;
    private final Transport transport;
    private final Progression progression;
    private final STagTable tags;
    private final StreamSettings streamSettings;
    private final long connectTimeoutNanos;
    private final int defaultBacklog;
    private final Counters counters = new Counters();
    private final AsyncEvents asyncEvents;
    private final LiveStreams liveStreams;

    private final Set<RnicProtectionDomain> domains = ConcurrentHashMap.newKeySet();
    private final Set<RnicCompletionQueue> completionQueues = ConcurrentHashMap.newKeySet();
    private final Set<RnicCompletionChannel> completionChannels = ConcurrentHashMap.newKeySet();
    private final Set<RnicEventChannel> eventChannels = ConcurrentHashMap.newKeySet();
    private final Set<RnicCmId> ids = ConcurrentHashMap.newKeySet();
    private final Set<RnicQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final AtomicInteger handles = new AtomicInteger();
    private final AtomicLong nextAddress = new AtomicLong(FIRST_ADDRESS);
    private volatile boolean closed;

    RnicContext(
            RnicDevice device,
            Configuration configuration,
            Transport transport,
            Progression progression,
            RandomGenerator randomness) {
        this.device = device;
        this.configuration = configuration;
        this.transport = transport;
        this.progression = progression;
        int readDepth = configuration.number(RnicSetting.READ_DEPTH, 0, DeviceLimits.MAX_READ_DEPTH);
        attributes = DeviceLimits.attributes(device.guid(), readDepth);
        tags = new STagTable(randomness, DeviceLimits.MAX_MEMORY_REGIONS + DeviceLimits.MAX_MEMORY_WINDOWS);
        streamSettings = new StreamSettings(
                configuration.choice(RnicSetting.EXTENSIONS, "on", "off").equals("on"),
                configuration.number(RnicSetting.RESPONSES_IN_A_ROW, 1, 1_000_000),
                millis(RnicSetting.DISCONNECT_TIMEOUT),
                configuration.number(RnicSetting.NUDGE, 0, 60_000) * NANOS_PER_MILLI);
        connectTimeoutNanos = millis(RnicSetting.CONNECT_TIMEOUT);
        defaultBacklog = configuration.number(RnicSetting.BACKLOG, 1, 65_535);
        asyncEvents = new AsyncEvents(progression, counters);
        liveStreams = new LiveStreams(progression);
    }

    private long millis(RnicSetting setting) {
        return configuration.number(setting, 1, 3_600_000) * NANOS_PER_MILLI;
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
        if (own != null) {
            own.addUser();
        }
        RnicCompletionQueue queue = new RnicCompletionQueue(this, newHandle(), entries, own);
        completionQueues.add(queue);
        return queue;
    }

    @Override
    public CmEventChannel createEventChannel() {
        checkOpen();
        RnicEventChannel channel = new RnicEventChannel(this);
        eventChannels.add(channel);
        return channel;
    }

    @Override
    public CmId createId(CmEventChannel channel) {
        if (!(channel instanceof RnicEventChannel own) || !eventChannels.contains(own)) {
            throw foreign("event channel");
        }
        return newId(own);
    }

    @Override
    public CmId createId() {
        return newId(null);
    }

    private RnicCmId newId(@Nullable RnicEventChannel channel) {
        checkOpen();
        RnicCmId id = new RnicCmId(this, channel);
        add(id);
        return id;
    }

    RnicQueuePair newQueuePair(RnicProtectionDomain domain, QueuePairAttributes wanted) {
        checkLimit(queuePairs.size(), attributes.maxQueuePairs(), "queue pairs");
        boolean hasShared = wanted.sharedReceiveQueue() != null;
        checkRange(wanted.maxSendWorkRequests(), 1, attributes.maxWorkRequests(), "send work requests");
        checkRange(
                wanted.maxReceiveWorkRequests(),
                hasShared ? 0 : 1,
                attributes.maxWorkRequests(),
                "receive work requests");
        checkRange(wanted.maxSendElements(), 0, attributes.maxScatterGatherElements(), "elements of a send");
        checkRange(wanted.maxReceiveElements(), 0, attributes.maxScatterGatherElements(), "elements of a receive");
        checkRange(wanted.maxInlineData(), 0, attributes.maxInlineData(), "octets of inline data");
        RnicSharedReceiveQueue shared = null;
        if (hasShared) {
            if (!(wanted.sharedReceiveQueue() instanceof RnicSharedReceiveQueue own)
                    || own.protectionDomain() != domain) {
                throw new RdmaException(
                        RdmaErrorCode.INVALID_ARGUMENT,
                        "The shared receive queue must be of the queue pair's protection domain.");
            }
            shared = own;
        }
        RnicCompletionQueue sends = own(wanted.sendCompletionQueue());
        RnicCompletionQueue receives = own(wanted.receiveCompletionQueue());
        RnicQueuePair queuePair = new RnicQueuePair(this, domain, newHandle(), wanted, sends, receives, shared);
        sends.addUser(queuePair);
        receives.addUser(queuePair);
        if (shared != null) {
            shared.addUser(queuePair);
        }
        queuePairs.add(queuePair);
        return queuePair;
    }

    private RnicCompletionQueue own(CompletionQueue queue) {
        if (!(queue instanceof RnicCompletionQueue own) || !completionQueues.contains(own)) {
            throw foreign("completion queue");
        }
        return own;
    }

    private static RdmaException foreign(String what) {
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
        queuePairs.forEach(queuePair -> live.add(queuePair.completer().counts()));
        return counters.all(live);
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

    Transport transport() {
        return transport;
    }

    Progression progression() {
        return progression;
    }

    STagTable tags() {
        return tags;
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

    Counters deviceCounters() {
        return counters;
    }

    AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    LiveStreams liveStreams() {
        return liveStreams;
    }

    /** {@return a number that nothing else of this context has} */
    int newHandle() {
        return handles.incrementAndGet();
    }

    /** {@return a page-aligned address for a region, with a page that is nobody's behind it} */
    long newAddress(int length) {
        long pages = (length + PAGE - 1) / PAGE + 1;
        return nextAddress.getAndAdd(pages * PAGE);
    }

    /** Waits until no owner places data of a peer into memory of {@code domain} that was deregistered before. */
    void awaitPlacements(RnicProtectionDomain domain) {
        liveStreams.fence(domain, streamSettings.disconnectTimeoutNanos());
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

    void checkRange(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The number of " + what + " is " + least + " to " + most + ", not " + value + ".");
        }
    }

    void add(RnicCmId id) {
        ids.add(id);
    }

    void remove(RnicCmId id) {
        ids.remove(id);
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

    void remove(RnicEventChannel channel) {
        eventChannels.remove(channel);
    }

    void remove(RnicQueuePair queuePair) {
        if (queuePairs.remove(queuePair)) {
            counters.add(queuePair.completer().counts());
        }
        queuePair.sendCompletions().removeUser(queuePair);
        queuePair.receiveCompletions().removeUser(queuePair);
        RnicSharedReceiveQueue shared = queuePair.shared();
        if (shared != null) {
            shared.removeUser(queuePair);
        }
        queuePair.protectionDomain().forget(queuePair);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        liveStreams.end(streamSettings.disconnectTimeoutNanos());
        ids.forEach(RnicCmId::close);
        queuePairs.forEach(RnicQueuePair::close);
        transport.close();
        completionQueues.forEach(RnicCompletionQueue::shutDown);
        completionChannels.forEach(RnicCompletionChannel::shutDown);
        eventChannels.forEach(RnicEventChannel::shutDown);
        domains.forEach(RnicProtectionDomain::shutDown);
        asyncEvents.close();
    }
}
