package dev.jwarp.sockets.connection;

import dev.jwarp.base.Tally;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A context with inline progress, and its resources for streams. Completions are demultiplexed by queue pair, and
 * events by connection id. Any thread.
 */
public abstract class StreamHome implements AutoCloseable {
    private static final String SEGMENTATION = "jwarp.udp.segmentation";
    private static final Map<String, String> WITHOUT_RECEIVING = Map.of("on", "send", "receive", "off");

    private final Context context;
    private final ProtectionDomain domain;
    private final CmEventChannel events;
    private final SharedCompletionQueues completionQueues;
    private final StreamMemory memory;
    private final Tally<RegisteredBuffers.Counter> counts = new Tally<>(RegisteredBuffers.Counter.class);
    /** All connections that are not released. */
    private final Set<StreamConnection> connections = ConcurrentHashMap.newKeySet();

    /**
     * Opens a context.
     *
     * @param settings of the context
     * @param memory of its streams, usually {@link StreamMemory#ofProcess}
     */
    protected StreamHome(Map<String, String> settings, StreamMemory memory) {
        this(Provider.RDMA.devices().get(0).open(Progress.INLINE, apart(settings)), memory);
    }

    /**
     * Turns off segmentation offload on receive: the system must not coalesce datagrams, so that plain ones can be
     * recognized. Several threads use the context, whatever the settings of the process.
     */
    private static Map<String, String> apart(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("jwarp.threads", "multi");
        Provider.RDMA.configuration(settings).stream()
                .filter(one -> one.setting().key().equals(SEGMENTATION)) // absent without a datagram transport
                .map(one -> one.value().strip().toLowerCase(Locale.ROOT))
                .forEach(value -> all.put(SEGMENTATION, WITHOUT_RECEIVING.getOrDefault(value, value)));
        return all;
    }

    /**
     * Loaded once, because the lookup needs a file descriptor; a process without free descriptors fails when it opens
     * the next resource.
     */
    private static final class Provider {
        static final RdmaProvider RDMA = RdmaProvider.load();
    }

    private StreamHome(Context opened, StreamMemory memory) {
        this.memory = memory;
        context = opened;
        domain = context.allocateProtectionDomain();
        events = context.createEventChannel();
        events.onEvent(StreamHome::event);
        completionQueues = new SharedCompletionQueues(context, StreamHome::completions);
    }

    /** The attachment of a connection id; it gets the events of the id. */
    interface CmEventTaker {
        /** Called by the thread that drives the context. Must not block. */
        void on(CmEvent event);
    }

    private static void event(CmEvent event) {
        CmId id = event.type() == CmEventType.CONNECT_REQUEST ? Objects.requireNonNull(event.listenId()) : event.id();
        if (id.attachment() instanceof CmEventTaker taker) {
            taker.on(event);
        }
    }

    private static void completions(CompletionQueue queue, WorkCompletion[] completions, int count) {
        for (int i = 0; i < count; i++) {
            QueuePair queuePair = completions[i].queuePair();
            if (queuePair != null && queuePair.attachment() instanceof StreamConnection connection) {
                connection.on(completions[i]);
            }
        }
    }

    /** {@return the context, which a thread of the caller must drive} */
    public final Context context() {
        return context;
    }

    /** {@return the protection domain of the memory of streams} */
    public final ProtectionDomain domain() {
        return domain;
    }

    /** {@return the counters of the context, followed by those of its streams} */
    public final List<Counter> counters() {
        List<Counter> all = new ArrayList<>(context.counters());
        for (RegisteredBuffers.Counter one : RegisteredBuffers.Counter.values()) {
            all.add(new Counter(one.name().toLowerCase(Locale.ROOT), counts.get(one), one.sentence()));
        }
        return all;
    }

    final Tally<RegisteredBuffers.Counter> counts() {
        return counts;
    }

    final StreamMemory memory() {
        return memory;
    }

    final Set<StreamConnection> connections() {
        return connections;
    }

    /** {@return whether all bytes that were written to streams are sent, including open streams} */
    protected final boolean allGone() {
        return connections.stream().allMatch(connection -> connection.output().allGone());
    }

    /** {@return whether there are connections that are not over} */
    protected final boolean hasConnections() {
        return connections.stream().anyMatch(connection -> !connection.isOver());
    }

    /** Ends all connections, because the process ends. */
    protected final void endConnections() {
        connections.forEach(StreamConnection::end);
    }

    final SharedCompletionQueues completionQueues() {
        return completionQueues;
    }

    final CmId newId(CmEventTaker taker) {
        CmId id = context.createId(events);
        id.attach(taker);
        return id;
    }

    /**
     * Calls {@link StreamConnection#abort} if the connection is not over after {@link StreamConnection#CLOSING}.
     *
     * @param connection that was closed
     */
    protected abstract void abortLater(StreamConnection connection);

    /**
     * Calls {@link StreamConnection#disconnectHeld} after {@link StreamConnection#HELD}, unless {@link #over} is called
     * before. May be called in a handler.
     *
     * @param connection that was closed and has sent everything, or that has ended and was displaced
     */
    protected abstract void disconnectLater(StreamConnection connection);

    /**
     * Calls {@link OutputHalf#flush} after {@link StreamConnection#COMBINING}, and then polls the context.
     *
     * @param connection with bytes that wait for further bytes
     */
    protected abstract void flushLater(StreamConnection connection);

    /**
     * Cancels the scheduled calls for a connection that has ended.
     *
     * @param connection that was closed
     */
    protected abstract void over(StreamConnection connection);

    /** Closes the context, which ends all connections. */
    @Override
    public void close() {
        context.close();
    }
}
