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
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Many peers of one server at once: streams to the server, streams from the server, or round trips. */
final class ManyPeers implements StudyApplication {
    private static final int CHUNK = 64 * 1024;

    private final ApplicationParameters parameters;
    /** Bytes of a write. */
    private final int size;

    private final LongAdder bytes = new LongAdder();
    private final Histogram trips = new ConcurrentHistogram(3);
    private volatile boolean measured;
    private volatile boolean ended;

    /** @param parameters {@code over=rc|tcp shape=in|out|trips peers=N size=BYTES seconds=N}, and optionally
     *     {@code options=NAME:VALUE,NAME:VALUE} */
    ManyPeers(ApplicationParameters parameters) {
        this.parameters = parameters;
        size = parameters.number("size");
    }

    @Override
    public Map<String, Double> run() throws IOException, InterruptedException {
        int peers = parameters.number("peers");
        String shape = parameters.text("shape");
        ExecutorService threads = Executors.newFixedThreadPool(peers);
        try (ApplicationSockets sockets = new ApplicationSockets(parameters.text("over"))) {
            sockets.options(parameters.text("options", ""));
            InetSocketAddress server =
                    switch (shape) {
                        case "in" -> sockets.serve(this::take);
                        case "out" -> sockets.serve(this::give);
                        default -> sockets.echo(size);
                    };
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                SocketChannel channel = sockets.connect(server);
                all.add(CompletableFuture.runAsync(() -> peer(channel, shape), threads));
            }
            long millis = parameters.nanos() / 1_000_000;
            Thread.sleep(millis); // until it has warmed up
            long before = bytes.sum();
            long began = System.nanoTime();
            measured = true;
            do {
                Thread.sleep(millis);
            } while (parameters.lasts(began, trips.getTotalCount() > 0 || bytes.sum() > before));
            double seconds = (System.nanoTime() - began) / 1e9;
            double rate = (bytes.sum() - before) / seconds;
            ended = true;
            all.forEach(CompletableFuture::join);
            return shape.equals("trips")
                    ? Map.of("latency_us", trips.getValueAtPercentile(50) / 1e3)
                    : Map.of("mb_per_s", rate / 1e6);
        } finally {
            threads.shutdownNow();
        }
    }

    private void peer(SocketChannel channel, String shape) {
        try (channel) {
            switch (shape) {
                case "in" -> give(channel);
                case "out" -> take(channel);
                default -> {
                    ByteBuffer message = ByteBuffer.allocateDirect(size);
                    while (!ended) {
                        long start = System.nanoTime();
                        ApplicationSockets.writeAll(channel, message.clear());
                        ApplicationSockets.readAll(channel, message.clear());
                        if (measured) {
                            trips.recordValue(System.nanoTime() - start);
                        }
                    }
                }
            }
        } catch (IOException e) {
            if (!ended) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void give(SocketChannel to) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(size);
        while (!ended) {
            ApplicationSockets.writeAll(to, chunk.clear());
        }
        to.close();
    }

    private void take(SocketChannel from) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(Math.max(CHUNK, size));
        for (int read = 0; read >= 0; read = from.read(chunk.clear())) {
            bytes.add(read);
        }
    }
}
