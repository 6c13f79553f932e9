package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/** jwarp: a Send to and fro, one at a time. */
final class VerbsPingPong implements Contender {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int RECEIVES = 8;

    private final int length;
    private final VerbsEnd client;
    private final QueuePair pair;
    private final Thread server;
    private final Histogram times = Contender.histogram();
    private final Turn turn = new Turn();
    private volatile boolean stop;

    VerbsPingPong(Arguments arguments) {
        length = arguments.number("size", 64);
        VerbsEnd serverEnd = new VerbsEnd(arguments, length * (RECEIVES + 1));
        CmId listener = serverEnd.listen();
        InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
        server = new Thread(() -> serve(serverEnd, listener), "server");
        server.setDaemon(true);
        server.start();
        client = new VerbsEnd(arguments, length * (RECEIVES + 1));
        pair = client.connect(address, p -> postReceives(client, p));
        turn.end();
    }

    private void postReceives(VerbsEnd end, QueuePair p) {
        for (int i = 0; i < RECEIVES; i++) {
            end.postReceive(p, i, i * length, length);
        }
    }

    private void serve(VerbsEnd end, CmId listener) {
        QueuePair p = end.accept(listener, fresh -> postReceives(end, fresh));
        try (end) {
            while (!stop) {
                turn.await();
                answer(end, p);
            }
        }
    }

    private void answer(VerbsEnd end, QueuePair p) {
        int count = end.completions(SHORT);
        for (int i = 0; i < count; i++) {
            if (end.batch[i].opcode() == WorkCompletionOpcode.RECV) {
                long slot = end.batch[i].id();
                post(end, p);
                end.postReceive(p, slot, (int) slot * length, length);
            }
        }
    }

    private void post(VerbsEnd end, QueuePair p) {
        p.postSend(end.send.clear().add(end.region, RECEIVES * length, length));
    }

    @Override
    public Sample round(long nanos) {
        times.reset();
        turn.begin();
        long start = System.nanoTime();
        long end = start + nanos;
        long now = start;
        do {
            long sent = now;
            post(client, pair);
            boolean answered = false;
            while (!answered) {
                int count = client.completions(SHORT);
                for (int i = 0; i < count; i++) {
                    if (client.batch[i].opcode() == WorkCompletionOpcode.RECV) {
                        long slot = client.batch[i].id();
                        client.postReceive(pair, slot, (int) slot * length, length);
                        answered = true;
                    }
                }
            }
            now = System.nanoTime();
            times.recordValue(now - sent);
        } while (now < end);
        turn.end();
        return Sample.ofRoundTrips(times, length, now - start);
    }

    @Override
    public void close() {
        stop = true;
        turn.begin();
        client.close();
    }
}
