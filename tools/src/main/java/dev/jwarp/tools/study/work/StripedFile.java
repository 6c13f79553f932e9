package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A client that reads or writes a file whose stripes are in the memory of several nodes, by one-sided operations. */
final class StripedFile implements StudyApplication {
    private static final int STRIPE = 64 * 1024;
    /** Stripes of one node under way. */
    private static final int WINDOW = 8;

    private final ApplicationParameters parameters;

    /** @param parameters {@code by=read|write nodes=N seconds=N} */
    StripedFile(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() {
        boolean reads = parameters.text("by").equals("read");
        int nodes = parameters.number("nodes");
        List<Context> open = new ArrayList<>();
        try {
            ProtectionDomain client = domain(open);
            CompletionQueue completions = client.context().createCompletionQueue(4 * WINDOW * nodes);
            QueuePair[] pairs = new QueuePair[nodes];
            SendWorkRequest[] requests = new SendWorkRequest[nodes];
            for (int i = 0; i < nodes; i++) {
                ProtectionDomain node = domain(open);
                MemoryRegion file =
                        node.allocate(STRIPE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
                MemoryRegion own = client.allocate(STRIPE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
                CompletionQueue unused = node.context().createCompletionQueue(2 * WINDOW);
                pairs[i] = new OwnPeer(client, node, attributes(completions), attributes(unused)).connect()[0];
                requests[i] = new SendWorkRequest().id(i);
                requests[i] = reads
                        ? requests[i].rdmaRead(file.address(), file.rkey())
                        : requests[i].rdmaWrite(file.address(), file.rkey());
                requests[i].add(own, 0, STRIPE);
                for (int posted = 0; posted < WINDOW; posted++) {
                    pairs[i].postSend(requests[i]);
                }
            }
            move(completions, pairs, requests); // warms up
            return Map.of("mb_per_s", move(completions, pairs, requests));
        } finally {
            open.forEach(Context::close);
        }
    }

    private static QueuePairAttributes.Builder attributes(CompletionQueue completions) {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(WINDOW)
                .maxReceiveWorkRequests(1);
    }

    private double move(CompletionQueue completions, QueuePair[] pairs, SendWorkRequest[] requests) {
        WorkCompletion[] some = WorkCompletion.array(WINDOW);
        long begun = System.nanoTime();
        long stripes = 0;
        while (parameters.lasts(begun, stripes > 0)) {
            int count = completions.await(some, ApplicationParameters.PATIENCE);
            for (int i = 0; i < count; i++) {
                if (!some[i].succeeded()) {
                    throw ToolFailure.failed("a stripe has failed: " + some[i]);
                }
                int node = (int) some[i].id();
                pairs[node].postSend(requests[node]);
            }
            stripes += count;
        }
        return (double) stripes * STRIPE * 1e3 / (System.nanoTime() - begun);
    }

    private static ProtectionDomain domain(List<Context> open) {
        Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
        open.add(context);
        return context.allocateProtectionDomain();
    }
}
