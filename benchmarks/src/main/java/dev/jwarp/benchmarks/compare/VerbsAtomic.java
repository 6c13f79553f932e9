package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/** jwarp: Fetch-and-Add to a number of the peer, one at a time. */
final class VerbsAtomic implements Contender {
    private static final Duration SHORT = Duration.ofMillis(100);

    private final VerbsEnd client;
    private final QueuePair pair;
    private final long remoteAddress;
    private final int remoteKey;
    private final Histogram times = Contender.histogram();
    private final Turn turn = new Turn();
    private volatile boolean stop;

    VerbsAtomic(Arguments arguments) {
        VerbsEnd serverEnd = new VerbsEnd(arguments, Long.BYTES);
        remoteAddress = serverEnd.region.address();
        remoteKey = serverEnd.region.rkey();
        CmId listener = serverEnd.listen();
        InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
        Thread server = new Thread(() -> serve(serverEnd, listener), "server");
        server.setDaemon(true);
        server.start();
        client = new VerbsEnd(arguments, Long.BYTES);
        pair = client.connect(address, p -> {});
        turn.end();
    }

    private void serve(VerbsEnd end, CmId listener) {
        end.accept(listener, fresh -> {});
        try (end) {
            while (!stop) {
                turn.await();
                end.completions(SHORT);
            }
        }
    }

    @Override
    public Sample round(long nanos) {
        times.reset();
        turn.begin();
        long start = System.nanoTime();
        long now = start;
        do {
            long begun = now;
            pair.postSend(client.send
                    .clear()
                    .signaled(true)
                    .add(client.region, 0, Long.BYTES)
                    .fetchAndAdd(remoteAddress, remoteKey, 1));
            int count = 0;
            while (count == 0) {
                count = client.completions(SHORT);
            }
            now = System.nanoTime();
            times.recordValue(now - begun);
        } while (now - start < nanos);
        turn.end();
        return Sample.ofRoundTrips(times, Long.BYTES, now - start);
    }

    @Override
    public void close() {
        stop = true;
        turn.begin();
        client.close();
    }
}
