package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.QueuePair;

/** jwarp: Fetch-and-Add to a number of the peer, one at a time. */
final class VerbsAtomic implements Contender {
    private final VerbsEnd client;
    private final QueuePair pair;
    private final long remoteAddress;
    private final int remoteKey;
    private final Turn turn = new Turn();
    private final RoundTrips trips = new RoundTrips(Long.BYTES, turn);

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
        return trips.round(nanos, this::trip);
    }

    private void trip() {
        pair.postSend(client.send
                .clear()
                .signaled(true)
                .add(client.region, 0, Long.BYTES)
                .fetchAndAdd(remoteAddress, remoteKey, 1));
        int count = 0;
        while (count == 0) {
            count = client.completions();
        }
    }

    /** The process ends with it. */
    @Override
    public void close() {}
}
