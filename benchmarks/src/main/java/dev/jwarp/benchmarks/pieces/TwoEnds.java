package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ThreadModel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two ends in one thread, which spins: no end waits, and no message needs another thread. */
final class TwoEnds implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int DEPTH = 256;
    private static final int PATH_MTU = 1500;

    /** One of the two ends. */
    static final class End {
        final Context context;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final CmEventChannel events;
        final MemoryRegion memory;

        @SuppressWarnings("NullAway.Init") // connect() sets the field
        QueuePair queuePair;

        /** The other end of datagrams; null for a connection. */
        @Nullable
        AddressHandle peer;

        private End(int memoryLength, ThreadModel threads) {
            String only = threads.name().toLowerCase(Locale.ROOT);
            context = RdmaProvider.load()
                    .device("jwarp0")
                    .open(Progress.INLINE, Map.of("jwarp.progress.wait", "spin", "jwarp.threads", only));
            events = context.createEventChannel();
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(2 * DEPTH);
            memory = domain.allocate(memoryLength, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        }

        private DatagramQueuePair bind(QueuePairType type) {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            DatagramQueuePair bound = domain.createDatagramQueuePair(
                    type,
                    attributes(),
                    DatagramAttributes.builder(any).pathMtu(PATH_MTU).build());
            queuePair = bound;
            return bound;
        }

        private QueuePairAttributes attributes() {
            return QueuePairAttributes.builder(completions)
                    .maxSendWorkRequests(DEPTH)
                    .maxReceiveWorkRequests(DEPTH)
                    .build();
        }
    }

    final End near;
    final End far;

    /** @param memoryLength bytes of each end's memory region */
    TwoEnds(int memoryLength, ThreadModel threads) {
        near = new End(memoryLength, threads);
        far = new End(memoryLength, threads);
    }

    /** {@return this, with a queue pair of that type at each end} */
    TwoEnds connect(QueuePairType type) {
        if (type == QueuePairType.RC) {
            connect();
        } else {
            DatagramQueuePair nearPair = near.bind(type);
            DatagramQueuePair farPair = far.bind(type);
            near.peer = nearPair.createAddressHandle(farPair.localAddress(), farPair.number(), farPair.key());
            far.peer = farPair.createAddressHandle(nearPair.localAddress(), nearPair.number(), nearPair.key());
        }
        return this;
    }

    private void connect() {
        CmId listener = far.context.createId(far.events);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(1);
        CmId id = near.context.createId(near.events);
        id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        next(near.events, CmEventType.ADDR_RESOLVED);
        near.queuePair = id.createQueuePair(near.domain, near.attributes());
        id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        CmId accepted = next(far.events, CmEventType.CONNECT_REQUEST);
        far.queuePair = accepted.createQueuePair(far.domain, far.attributes());
        accepted.accept(ConnectionParameters.DEFAULT);
        next(near.events, CmEventType.ESTABLISHED);
        next(far.events, CmEventType.ESTABLISHED);
        listener.close();
    }

    /** Drives both ends until the event comes. */
    private CmId next(CmEventChannel channel, CmEventType expected) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        CmEvent event = channel.poll();
        while (event == null && System.nanoTime() < deadline) {
            near.context.poll();
            far.context.poll();
            event = channel.poll();
        }
        if (event == null || event.type() != expected) {
            throw new IllegalStateException("not " + expected + " but " + event);
        }
        return event.id();
    }

    @Override
    public void close() {
        near.context.close();
        far.context.close();
    }
}
