package dev.jwarp.metrics;

import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Connects two ends on one device. */
final class Ends {
    private Ends() {}

    static Context open() {
        return RdmaProvider.load().devices().get(0).open(Progress.THREADED, Patience.OF_CONNECTIONS);
    }

    /** Connects two ids of the context, and closes both. */
    static void connectOnce(Context context) {
        try (ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue completions = context.createCompletionQueue(512);
                CmId listener = context.createId();
                CmId client = context.createId()) {
            QueuePairAttributes attributes =
                    QueuePairAttributes.builder(completions).build();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            CompletableFuture<CmId> server = CompletableFuture.supplyAsync(
                    () -> {
                        CmId peer = Objects.requireNonNull(listener.getRequest(Patience.LIMIT));
                        peer.createQueuePair(domain, attributes);
                        peer.accept();
                        return peer;
                    },
                    OwnThread.EACH);
            client.resolveAddress(null, listener.localAddress());
            client.createQueuePair(domain, attributes);
            client.connect();
            server.join().close();
        }
    }
}
