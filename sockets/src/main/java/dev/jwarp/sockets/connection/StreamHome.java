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

/** A context with inline progress, and what streams need of it. All that it tells is demultiplexed here: completions by queue pair, events by connection id. Any thread. */
public abstract class StreamHome implements AutoCloseable {
    private static final String SEGMENTATION = "jwarp.udp.segmentation";
    private static final Map<String, String> WITHOUT_RECEIVING = Map.of("on", "send", "receive", "off");

    private final Context context;
    private final ProtectionDomain domain;
    private final CmEventChannel events;
    private final CompletionRooms rooms;
    private final StreamMemory memory;
    private final Tally<RegisteredBuffers.Counter> counts = new Tally<>(RegisteredBuffers.Counter.class);
    /** All that are not over. */
    private final Set<StreamConnection> connections = ConcurrentHashMap.newKeySet();

    /**
     * Opens a context.
     *
     * @param settings of the context
     * @param memory of its streams, mostly that {@link StreamMemory#ofProcess of the process}
     */
    protected StreamHome(Map<String, String> settings, StreamMemory memory) {
        this(Provider.RDMA.devices().get(0).open(Progress.INLINE, apart(settings)), memory);
    }

    /** The system must not put datagrams together, so that plain ones can be told apart. */
    private static Map<String, String> apart(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        Provider.RDMA.configuration(settings).stream()
                .filter(one -> one.setting().key().equals(SEGMENTATION)) // none without a transport for datagrams
                .map(one -> one.value().strip().toLowerCase(Locale.ROOT))
                .forEach(value -> all.put(SEGMENTATION, WITHOUT_RECEIVING.getOrDefault(value, value)));
        return all;
    }

    /** Loaded once: to look for a provider takes a file, and a process that has none left is told so by what it opens next. */
    private static final class Provider {
        static final RdmaProvider RDMA = RdmaProvider.load();
    }

    private StreamHome(Context opened, StreamMemory memory) {
        this.memory = memory;
        context = opened;
        domain = context.allocateProtectionDomain();
        events = context.createEventChannel();
        events.onEvent(StreamHome::event);
        rooms = new CompletionRooms(context, StreamHome::completions);
    }

    /** The attachment of a connection id, which takes the events of the id. */
    interface CmEventTaker {
        /** Called by the thread that drives the context. Must not wait. */
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

    /** {@return the context; the thread that drives it is the program's} */
    public final Context context() {
        return context;
    }

    /** {@return where the memory of streams is} */
    public final ProtectionDomain domain() {
        return domain;
    }

    /** {@return the counters of the context, and behind them those of its streams} */
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

    /** {@return whether all that was written to streams, open ones too, has gone} */
    protected final boolean allGone() {
        return connections.stream().allMatch(connection -> connection.output().allGone());
    }

    /** {@return whether there are connections that are not over} */
    protected final boolean hasConnections() {
        return connections.stream().anyMatch(connection -> !connection.isOver());
    }

    /** The process ends, and with it all of them. */
    protected final void endConnections() {
        connections.forEach(StreamConnection::end);
    }

    final CompletionRooms rooms() {
        return rooms;
    }

    final CmId newId(CmEventTaker taker) {
        CmId id = context.createId(events);
        id.attach(taker);
        return id;
    }

    /**
     * Calls {@link StreamConnection#abort} if the connection is not over after {@link StreamConnection#CLOSING}.
     *
     * @param connection was closed
     */
    protected abstract void abortLater(StreamConnection connection);

    /**
     * Calls {@link StreamConnection#disconnectHeld} after {@link StreamConnection#HELD}, unless {@link #over} was called meanwhile. In a handler, or not.
     *
     * @param connection was closed and has nothing more to say, or has ended and gave way
     */
    protected abstract void disconnectLater(StreamConnection connection);

    /**
     * Calls {@link OutputHalf#flush} after {@link StreamConnection#COMBINING}, and has the context polled then.
     *
     * @param connection has bytes that wait for others
     */
    protected abstract void flushLater(StreamConnection connection);

    /**
     * It is over: it need not be ended any more.
     *
     * @param connection was closed
     */
    protected abstract void over(StreamConnection connection);

    /** Ends all that is open. */
    @Override
    public void close() {
        context.close();
    }
}
