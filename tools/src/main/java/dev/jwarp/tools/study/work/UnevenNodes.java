package dev.jwarp.tools.study.work;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A filter on several nodes, one of which is slow: a source deals out its data in chunks, in turn or on demand. Work of a
 * node takes time, not a processor, as on hosts of their own.
 */
final class UnevenNodes implements StudyApplication {
    private static final int NODES = 4;
    private static final int BYTES = 2 << 20;
    /** Time of a node for a byte: long beside what a timer is late. */
    private static final int NANOS = 100;

    private final ApplicationParameters parameters;

    /** @param parameters {@code over=rc|tcp deal=turn|demand chunk=BYTES slower=FACTOR} */
    UnevenNodes(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        int chunk = parameters.number("chunk");
        int slower = parameters.number("slower");
        boolean demand = parameters.text("deal").equals("demand");
        ExecutorService senders = Executors.newFixedThreadPool(NODES);
        try (ApplicationSockets network = new ApplicationSockets(parameters.text("over"))) {
            List<SocketChannel> nodes = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                int nanos = node == 0 ? slower * NANOS : NANOS;
                InetSocketAddress at = network.serve(peer -> work(peer, chunk, nanos));
                nodes.add(network.connect(at));
            }
            double millis = 0;
            for (int run = 0; run < 2; run++) { // the first one is for the JVM
                AtomicInteger next = new AtomicInteger();
                long began = System.nanoTime();
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int node = 0; node < NODES; node++) {
                    int first = node;
                    SocketChannel to = nodes.get(node);
                    all.add(CompletableFuture.runAsync(
                            () -> deal(to, chunk, demand ? next : new AtomicInteger(first), demand ? 1 : NODES),
                            senders));
                }
                all.forEach(CompletableFuture::join);
                millis = (System.nanoTime() - began) / 1e6;
            }
            for (SocketChannel node : nodes) {
                node.close();
            }
            return Map.of("time_ms", millis, "ideal_percent", 100 * ideal(slower) / millis);
        } finally {
            senders.shutdownNow();
        }
    }

    /** {@return the time in milliseconds if all nodes end together, and moving data takes none} */
    private static double ideal(int slower) {
        return BYTES * NANOS / 1e6 / (NODES - 1 + 1.0 / slower);
    }

    private static void deal(SocketChannel to, int chunk, AtomicInteger next, int step) {
        ByteBuffer data = ByteBuffer.allocateDirect(chunk);
        ByteBuffer done = ByteBuffer.allocateDirect(1);
        try {
            while ((long) next.getAndAdd(step) * chunk < BYTES) {
                ApplicationSockets.writeAll(to, data.clear());
                ApplicationSockets.readAll(to, done.clear());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void work(SocketChannel peer, int chunk, int nanos) throws IOException {
        ByteBuffer data = ByteBuffer.allocateDirect(chunk);
        ByteBuffer done = ByteBuffer.allocateDirect(1);
        while (true) {
            ApplicationSockets.readAll(peer, data.clear());
            long end = System.nanoTime() + (long) chunk * nanos;
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            ApplicationSockets.writeAll(peer, done.clear());
        }
    }
}
