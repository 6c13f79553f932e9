package dev.jwarp.tools.study.work;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A data centre of three tiers: web, application and database. Each tier asks the next one for every request, over a
 * transport of its own. The answer is a page of the database.
 */
final class DataCentre implements StudyApplication {
    private static final String[] TIERS = {"web", "application", "database"};
    private static final int REQUEST = 256;
    private static final int PAGE = 8 * 1024;
    private static final int WARM = 200;
    /** What a tier computes for a request. */
    private static final long WORK_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final ApplicationParameters parameters;

    /** @param parameters {@code over=rc|tcp,rc|tcp,rc|tcp (to each tier) seconds=N} */
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
        List<ApplicationSockets> all = new ArrayList<>();
        Map<String, Histogram> times = new HashMap<>();
        try {
            Tier front = null;
            for (int tier = TIERS.length - 1; tier >= 0; tier--) {
                ApplicationSockets sockets = new ApplicationSockets(over[tier]);
                all.add(sockets);
                Histogram in = new ConcurrentHistogram(TimeUnit.MINUTES.toNanos(1), 3);
                times.put(TIERS[tier], in);
                Tier behind = front;
                front = new Tier(sockets, sockets.serve(peer -> {
                    if (behind == null) {
                        serve(peer, null, in);
                    } else {
                        try (SocketChannel forward = behind.connect()) {
                            serve(peer, forward, in);
                        }
                    }
                }));
            }
            ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
            ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
            try (SocketChannel channel = Objects.requireNonNull(front).connect()) {
                Histogram responses = parameters.times(WARM, () -> {
                    ApplicationSockets.writeAll(channel, request.clear());
                    ApplicationSockets.readAll(channel, page.clear());
                    return true;
                });
                Map<String, Double> figures = new HashMap<>(ApplicationParameters.micros("response", responses));
                times.forEach((tier, in) -> figures.put(tier + "_us", in.getValueAtPercentile(50) / 1e3));
                return figures;
            }
        } finally {
            for (ApplicationSockets each : all) {
                each.close();
            }
        }
    }

    /** A tier: from the request of a client to its answer, with the tiers behind it. */
    private static void serve(SocketChannel peer, @Nullable SocketChannel next, Histogram times) throws IOException {
        ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        while (true) {
            ApplicationSockets.readAll(peer, request.clear());
            long start = System.nanoTime();
            while (System.nanoTime() - start < WORK_NANOS) {
                Thread.onSpinWait();
            }
            if (next != null) {
                ApplicationSockets.writeAll(next, request.flip());
                ApplicationSockets.readAll(next, page.clear());
            }
            ApplicationSockets.writeAll(peer, page.clear());
            times.recordValue(System.nanoTime() - start);
        }
    }
}
