package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
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
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Map;

/**
 * Queue pairs of one thread, of which the last one has a weight: connections (64-byte Writes), or queue pairs of one
 * UDP port, with a pace if they are to have more than can be sent (1,000-byte Sends).
 */
final class WeightedShares implements StudyApplication {
    /** Requests that a queue pair has posted: two turns of weight 64. */
    private static final int DEPTH = 32_768;
    /** Requests of those that do not flood: three turns of weight 1. */
    private static final int FEW = 768;

    private static final int BATCH = 256;
    /** Bytes a second to the peer: less than loopback takes. */
    private static final String PACE = "20000000";

    private final ApplicationParameters parameters;
    private final boolean connected;
    private final boolean paced;
    private final SendWorkRequest[] requests;
    private final QueuePair[] pairs;
    private final long[] sent;
    private final int message;

    /**
     * @param parameters {@code over=rc|ud pairs=N weight=N load=full|light|flood seconds=N}; with {@code flood} only the
     *     last queue pair has more than three turns of requests
     */
    WeightedShares(ApplicationParameters parameters) {
        this.parameters = parameters;
        connected = parameters.text("over").equals("rc");
        paced = !parameters.text("load").equals("light");
        message = connected ? 64 : 1_000;
        int count = parameters.number("pairs");
        requests = new SendWorkRequest[count];
        pairs = new QueuePair[count];
        sent = new long[count];
    }

    @Override
    public Map<String, Double> run() {
        int last = pairs.length - 1;
        int weight = parameters.number("weight");
        String load = parameters.text("load");
        InetSocketAddress port = OwnPeer.anyPort();
        try (Context near = context();
                Context far = context()) {
            CompletionQueue completions = near.createCompletionQueue(pairs.length * (DEPTH + 3));
            ProtectionDomain domain = near.allocateProtectionDomain();
            MemoryRegion memory = domain.allocate(message, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            DatagramQueuePair target = datagrams(
                    far.allocateProtectionDomain(), far.createCompletionQueue(2 * DEPTH), OwnPeer.anyPort(), 1);
            for (int i = 0; i <= last; i++) {
                int own = i == last ? weight : 1;
                requests[i] = new SendWorkRequest().id(i);
                if (connected) {
                    pairs[i] = new OwnPeer(
                                    domain,
                                    domain,
                                    attributes(completions, own),
                                    attributes(completions, own).maxSendWorkRequests(1))
                            .connect()[0];
                    requests[i].rdmaWrite(memory.address(), memory.rkey());
                } else {
                    DatagramQueuePair pair = datagrams(domain, completions, port, own);
                    port = pair.localAddress();
                    pairs[i] = pair;
                    requests[i]
                            .send()
                            .destination(
                                    pair.createAddressHandle(target.localAddress(), target.number(), target.key()));
                }
                requests[i].add(memory, 0, message);
            }
            for (int i = 0; i <= last; i++) {
                int depth = load.equals("light") ? 1 : i < last && load.equals("flood") ? FEW : DEPTH;
                for (int posted = 0; posted < depth; posted++) {
                    pairs[i].postSend(requests[i]);
                }
            }
            exchange(near, completions); // warms up
            Arrays.fill(sent, 0);
            exchange(near, completions);
        }
        double all = Arrays.stream(sent).sum();
        double squares =
                Arrays.stream(sent).mapToDouble(each -> (double) each * each).sum();
        double ratio = (double) sent[last] / sent[0];
        return Map.of(
                "ratio", ratio,
                "ratio_per_weight", ratio / weight,
                "least_percent", 100 * Arrays.stream(sent).min().orElse(0) / all,
                "jain", all * all / squares / sent.length);
    }

    private void exchange(Context near, CompletionQueue completions) {
        WorkCompletion[] some = WorkCompletion.array(BATCH);
        long begun = System.nanoTime();
        while (parameters.lasts(begun, Arrays.stream(sent).allMatch(each -> each > 0))) {
            near.poll();
            for (int count = BATCH; count == BATCH; ) {
                count = completions.poll(some);
                for (int i = 0; i < count; i++) {
                    if (!some[i].succeeded()) {
                        throw ToolFailure.failed("a request has failed: " + some[i]);
                    }
                    int which = (int) some[i].id();
                    sent[which]++;
                    pairs[which].postSend(requests[which]);
                }
            }
        }
    }

    private Context context() {
        return RdmaProvider.load()
                .devices()
                .get(0)
                .open(Progress.INLINE, Map.of("jwarp.udp.pace", paced ? PACE : "0", "jwarp.udp.unheard-pace", "0"));
    }

    private static QueuePairAttributes.Builder attributes(CompletionQueue completions, int weight) {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(DEPTH)
                .maxReceiveWorkRequests(1)
                .weight(weight);
    }

    private static DatagramQueuePair datagrams(
            ProtectionDomain domain, CompletionQueue completions, InetSocketAddress local, int weight) {
        return domain.createDatagramQueuePair(
                QueuePairType.UD,
                attributes(completions, weight).build(),
                DatagramAttributes.builder(local).pathMtu(1_500).build());
    }
}
