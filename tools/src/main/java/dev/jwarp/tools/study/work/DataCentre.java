package dev.jwarp.tools.study.work;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A data centre of three tiers: web, application and database. Each tier asks the next one for every request, over a
 * transport of its own and its own number of connections. The answer is a page of the database.
 */
final class DataCentre implements StudyApplication {
    private static final String[] TIERS = {"web", "application", "database"};
    private static final int REQUEST = 256;
    private static final int PAGE = 8 * 1024;
    /** What a tier computes for a request. */
    private static final long WORK_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final ApplicationParameters parameters;

    /** @param parameters {@code over=rc|tcp,rc|tcp,rc|tcp connections=N,N,N seconds=N}, to each tier */
    DataCentre(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    /** Where a tier is, and how it is reached. */
    private record Tier(ApplicationSockets sockets, InetSocketAddress address) {
        SocketChannel connect() throws IOException {
            return sockets.connect(address);
        }
    }

    @Override
    public Map<String, Double> run() throws IOException {
        String[] over = parameters.text("over").split(",", -1);
        String[] connections = parameters.text("connections").split(",", -1);
        int clients = Integer.parseInt(connections[0]);
        List<ApplicationSockets> all = new ArrayList<>();
        List<SocketChannel> pooled = new ArrayList<>();
        Phaser warm = new Phaser(clients);
        Map<String, Histogram> times = new HashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            Tier front = null;
            for (int tier = TIERS.length - 1; tier >= 0; tier--) {
                ApplicationSockets sockets = new ApplicationSockets(over[tier]);
                all.add(sockets);
                Histogram in = new ConcurrentHistogram(TimeUnit.MINUTES.toNanos(1), 3);
                times.put(TIERS[tier], in);
                BlockingQueue<SocketChannel> forward = new LinkedBlockingQueue<>();
                for (int i = 0; front != null && i < Integer.parseInt(connections[tier + 1]); i++) {
                    forward.add(front.connect());
                }
                pooled.addAll(forward);
                Tier behind = front;
                front = new Tier(sockets, sockets.serve(peer -> serve(peer, behind == null ? null : forward, in)));
            }
            List<CompletableFuture<Histogram>> each = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                SocketChannel channel = Objects.requireNonNull(front).connect();
                each.add(CompletableFuture.supplyAsync(() -> client(channel, warm), threads));
            }
            warm.awaitAdvance(0);
            long begun = System.nanoTime();
            Histogram responses = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
            each.forEach(client -> responses.add(client.join()));
            double took = System.nanoTime() - begun;
            Map<String, Double> figures = new HashMap<>(ApplicationParameters.micros("response", responses));
            times.forEach((tier, in) -> figures.put(tier + "_us", in.getValueAtPercentile(50) / 1e3));
            figures.put("requests_per_s", responses.getTotalCount() * 1e9 / took);
            return figures;
        } finally {
            warm.forceTermination();
            threads.shutdownNow();
            for (SocketChannel channel : pooled) {
                channel.close();
            }
            for (ApplicationSockets each : all) {
                each.close();
            }
        }
    }

    /** {@return the times of one client, measured from when all clients are warm} */
    private Histogram client(SocketChannel channel, Phaser warm) {
        ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        try (channel) {
            ApplicationParameters.Trip trip = () -> {
                ApplicationSockets.writeAll(channel, request.clear());
                ApplicationSockets.readAll(channel, page.clear());
                return true;
            };
            try {
                parameters.times(0, trip);
            } finally {
                warm.arrive();
            }
            warm.awaitAdvance(0);
            return parameters.times(0, trip);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A tier: from the request of a client to its answer, with the tiers behind it. */
    private static void serve(SocketChannel peer, @Nullable BlockingQueue<SocketChannel> forward, Histogram times)
            throws IOException {
        ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        while (true) {
            ApplicationSockets.readAll(peer, request.clear());
            long start = System.nanoTime();
            while (System.nanoTime() - start < WORK_NANOS) {
                Thread.onSpinWait();
            }
            if (forward != null) {
                SocketChannel next = taken(forward);
                try {
                    ApplicationSockets.writeAll(next, request.flip());
                    ApplicationSockets.readAll(next, page.clear());
                } finally {
                    forward.add(next); // also a broken one, which fails the next request
                }
            }
            ApplicationSockets.writeAll(peer, page.clear());
            times.recordValue(System.nanoTime() - start);
        }
    }

    /** {@return a connection to the next tier that no other request uses} */
    private static SocketChannel taken(BlockingQueue<SocketChannel> connections) throws IOException {
        try {
            return connections.take();
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the application ends");
        }
    }
}
