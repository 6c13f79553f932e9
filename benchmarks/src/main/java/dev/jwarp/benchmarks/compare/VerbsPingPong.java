package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletionOpcode;

/** jwarp: a Send to and fro, one at a time. */
final class VerbsPingPong implements Contender {
    private static final int RECEIVES = 8;

    private final int length;
    private final VerbsEnd client;
    private final QueuePair pair;
    private final Turn turn = new Turn();
    private final RoundTrips trips;

    VerbsPingPong(Arguments arguments) {
        length = arguments.number("size", 64);
        trips = new RoundTrips(length, turn);
        int region = length * (RECEIVES + 1);
        VerbsServer server = new VerbsServer(arguments, region, turn, this::postReceives, this::answer);
        client = new VerbsEnd(arguments, region);
        pair = client.connect(server.address(), p -> postReceives(client, p));
        turn.end();
    }

    private void postReceives(VerbsEnd end, QueuePair p) {
        for (int i = 0; i < RECEIVES; i++) {
            end.postReceive(p, i, i * length, length);
        }
    }

    private void answer(VerbsEnd end, QueuePair p) {
        int count = end.completions();
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
        return trips.round(nanos, this::trip);
    }

    private void trip() {
        post(client, pair);
        boolean answered = false;
        while (!answered) {
            int count = client.completions();
            for (int i = 0; i < count; i++) {
                if (client.batch[i].opcode() == WorkCompletionOpcode.RECV) {
                    long slot = client.batch[i].id();
                    client.postReceive(pair, slot, (int) slot * length, length);
                    answered = true;
                }
            }
        }
    }

    /** The process ends with it. */
    @Override
    public void close() {}
}
