package dev.jwarp.tools.study.work;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** Queue pairs of one UDP port that always have something to send: one of weight 1, and one of a higher weight. */
final class WeightedShares implements StudyApplication {
    private static final int MESSAGE = 1_000;
    /** Requests that a queue pair has posted: more than it may send in one turn, whatever its weight. */
    private static final int DEPTH = 8_192;

    private static final int BATCH = 256;
    /** Bytes a second to the peer: less than loopback takes. */
    private static final String PACE = "20000000";

    private final ApplicationParameters parameters;
    private final long[] sent = new long[2];

    /** @param parameters {@code weight=N load=full|light seconds=N} */
    WeightedShares(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() {
        int weight = parameters.number("weight");
        boolean full = parameters.text("load").equals("full");
        try (Context near = context(full);
                Context far = context(full)) {
            CompletionQueue completions = near.createCompletionQueue(2 * DEPTH);
            ProtectionDomain domain = near.allocateProtectionDomain();
            MemoryRegion memory = domain.allocate(MESSAGE, AccessFlag.LOCAL_WRITE);
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            DatagramQueuePair target = pair(far.allocateProtectionDomain(), far.createCompletionQueue(16), any, 1);
            DatagramQueuePair light = pair(domain, completions, any, 1);
            DatagramQueuePair heavy = pair(domain, completions, light.localAddress(), weight);
            SendWorkRequest[] requests = {request(light, target, memory, 0), request(heavy, target, memory, 1)};
            DatagramQueuePair[] pairs = {light, heavy};
            int depth = full ? DEPTH : 1;
            for (int which = 0; which < 2; which++) {
                for (int i = 0; i < depth; i++) {
                    pairs[which].postSend(requests[which]);
                }
            }
            WorkCompletion[] some = WorkCompletion.array(BATCH);
            exchange(near, completions, pairs, requests, some); // warms up
            sent[0] = 0;
            sent[1] = 0;
            exchange(near, completions, pairs, requests, some);
            return Map.of(
                    "ratio", (double) sent[1] / sent[0],
                    "ratio_per_weight", (double) sent[1] / sent[0] / weight);
        }
    }

    private void exchange(
            Context context,
            CompletionQueue completions,
            DatagramQueuePair[] pairs,
            SendWorkRequest[] requests,
            WorkCompletion[] some) {
        long end = System.nanoTime() + parameters.nanos();
        while (System.nanoTime() - end < 0) {
            context.poll();
            int count = completions.poll(some);
            for (int i = 0; i < count; i++) {
                int which = (int) some[i].id();
                sent[which]++;
                pairs[which].postSend(requests[which]);
            }
        }
    }

    private static Context context(boolean full) {
        return RdmaProvider.load()
                .devices()
                .get(0)
                .open(Progress.INLINE, Map.of("jwarp.udp.pace", full ? PACE : "0", "jwarp.udp.unheard-pace", "0"));
    }

    private static DatagramQueuePair pair(
            ProtectionDomain domain, CompletionQueue completions, InetSocketAddress local, int weight) {
        return domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(DEPTH)
                        .build(),
                DatagramAttributes.builder(local).pathMtu(1_500).weight(weight).build());
    }

    private static SendWorkRequest request(
            DatagramQueuePair from, DatagramQueuePair to, MemoryRegion memory, int which) {
        return new SendWorkRequest()
                .id(which)
                .send()
                .destination(from.createAddressHandle(to.localAddress(), to.number(), to.key()))
                .add(memory, 0, MESSAGE);
    }
}
