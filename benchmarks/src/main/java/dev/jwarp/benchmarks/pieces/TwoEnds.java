package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.AccessFlag;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Two ends of a connection in one thread, which spins: no end waits, and no message needs another thread. */
final class TwoEnds implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int DEPTH = 256;

    /** One of the two ends. */
    static final class End {
        final Context context;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion memory;

        End(String device, int memoryLength) {
            context = RdmaProvider.load().device(device).open(Progress.INLINE, Map.of("jwarp.progress.wait", "spin"));
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(2 * DEPTH);
            memory = domain.allocate(memoryLength, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        }

        DatagramQueuePair bind() {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            return domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    attributes(),
                    DatagramAttributes.builder(any).pathMtu(1500).build());
        }

        QueuePairAttributes attributes() {
            return QueuePairAttributes.builder(completions)
                    .maxSendWorkRequests(DEPTH)
                    .maxReceiveWorkRequests(DEPTH)
                    .build();
        }
    }

    final End near;
    final End far;
    final QueuePair nearPair;
    final QueuePair farPair;

    /** @param memoryLength bytes of each end's memory region */
    TwoEnds(int memoryLength) {
        near = new End("jwarp0", memoryLength);
        far = new End("jwarp0", memoryLength);
        CmId listener = far.context.createId();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(1);
        CompletableFuture<QueuePair> accepted = CompletableFuture.supplyAsync(
                () -> {
                    CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE), "no connection came");
                    QueuePair made = id.createQueuePair(far.domain, far.attributes());
                    id.accept(ConnectionParameters.DEFAULT);
                    return made;
                },
                command -> new Thread(command).start());
        CmId id = near.context.createId();
        id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        nearPair = id.createQueuePair(near.domain, near.attributes());
        id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        farPair = accepted.join();
        listener.close();
    }

    @Override
    public void close() {
        near.context.close();
        far.context.close();
    }
}
