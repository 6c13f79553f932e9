package dev.jwarp.benchmarks.memory;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
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
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** A context with the objects that both sides need. One thread. */
final class Bench {
    static final int MESSAGE = 64;
    /** Long enough to use up the window of a reliable channel. */
    static final int LONG_MESSAGE = 512 << 10;

    private static final int COMPLETIONS = 1 << 15;

    final Context context;
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion region;
    final WorkCompletion[] batch = WorkCompletion.array(64);
    private final Scenario scenario;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    Bench(Scenario scenario) {
        this.scenario = scenario;
        context = RdmaProvider.load()
                .device("jwarp0")
                .open(
                        Progress.INLINE,
                        scenario.connected
                                ? Map.of()
                                : Map.of("jwarp.datagram.records", "65536", "jwarp.rd.give-up", "300000"));
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(COMPLETIONS);
        region = domain.allocate(
                LONG_MESSAGE,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.RECORD,
                AccessFlag.REMOTE_READ);
    }

    QueuePairAttributes attributes(int sends, int receives) {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(sends)
                .maxReceiveWorkRequests(receives)
                .maxSendElements(1)
                .maxReceiveElements(1)
                .build();
    }

    DatagramQueuePair datagrams(int port, int sends, int receives) {
        return domain.createDatagramQueuePair(
                scenario.reliable ? QueuePairType.RD : QueuePairType.UD,
                attributes(sends, receives),
                DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .pathMtu(1500)
                        .build());
    }

    void postReceive(QueuePair pair) {
        pair.postReceive(receive.clear().add(region, 0, LONG_MESSAGE));
    }

    /** Polls completions, which must be successful, and returns their number. */
    int drain() {
        int count = completions.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch[i].succeeded()) {
                throw new IllegalStateException(batch[i].describe());
            }
            batch[i].release();
        }
        return count;
    }
}
