package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.QueuePair;
import org.HdrHistogram.Histogram;

/** jwarp: Fetch-and-Add to a number of the peer, one at a time. */
final class VerbsAtomic implements Contender {

    private final VerbsEnd client;
    private final QueuePair pair;
    private final long remoteAddress;
    private final int remoteKey;
    private final Histogram times = Contender.histogram();
    private final Turn turn = new Turn();

    VerbsAtomic(Arguments arguments) {
        VerbsServer server =
                new VerbsServer(arguments, Long.BYTES, turn, (end, p) -> {}, (end, p) -> end.completions());
        client = new VerbsEnd(arguments, Long.BYTES);
        pair = client.connect(server.address(), p -> {});
        remoteAddress = server.region().address();
        remoteKey = server.region().rkey();
        turn.end();
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
                count = client.completions();
            }
            now = System.nanoTime();
            times.recordValue(now - begun);
        } while (now - start < nanos);
        turn.end();
        return Sample.ofRoundTrips(times, Long.BYTES, now - start);
    }

    /** The process ends with it. */
    @Override
    public void close() {}
}
