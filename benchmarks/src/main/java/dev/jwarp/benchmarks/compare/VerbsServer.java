package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * The far end of one connection, on a thread of its own that alone ever uses its context, and without a listener once it is connected:
 * a blocking read of the connection is only possible then.
 */
final class VerbsServer {
    /** What it does again and again while it is its turn. */
    interface Step {
        void take(VerbsEnd end, QueuePair pair);
    }

    private final Turn turn;
    private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
    private final CompletableFuture<MemoryRegion> region = new CompletableFuture<>();

    /**
     * @param regionLength of its memory
     * @param prepare posts the first receives
     */
    VerbsServer(Arguments arguments, int regionLength, Turn turn, Step prepare, Step step) {
        this.turn = turn;
        Thread thread = new Thread(() -> serve(arguments, regionLength, prepare, step), "server");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Arguments arguments, int regionLength, Step prepare, Step step) {
        try {
            VerbsEnd end = new VerbsEnd(arguments, regionLength);
            region.complete(end.region);
            CmId listener = end.listen();
            address.complete(Objects.requireNonNull(listener.localAddress()));
            QueuePair pair = end.accept(listener, fresh -> prepare.take(end, fresh));
            listener.close();
            while (true) {
                turn.await();
                step.take(end, pair);
            }
        } catch (RuntimeException e) {
            address.completeExceptionally(e);
            region.completeExceptionally(e);
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // the near end would wait for ever
        }
    }

    InetSocketAddress address() {
        return address.join();
    }

    /** {@return its memory, for what a peer has to know of it} */
    MemoryRegion region() {
        return region.join();
    }
}
