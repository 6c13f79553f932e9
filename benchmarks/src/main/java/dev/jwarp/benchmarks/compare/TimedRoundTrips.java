package dev.jwarp.benchmarks.compare;

import org.HdrHistogram.Histogram;

/** Times round trips of the near end of a contender during its turn. */
final class TimedRoundTrips {
    private final int size;
    private final Turn turn;
    private final Histogram times = Contender.histogram();

    /** @param size bytes of payload one way */
    TimedRoundTrips(int size, Turn turn) {
        this.size = size;
        this.turn = turn;
    }

    /** Sends a message and waits for the answer. */
    interface Trip<E extends Exception> {
        void take() throws E;
    }

    /** {@return the result of one round} */
    <E extends Exception> Contender.Sample round(long nanos, Trip<E> trip) throws E {
        times.reset();
        turn.begin();
        long start = System.nanoTime();
        long now = start;
        do {
            long begun = now;
            trip.take();
            now = System.nanoTime();
            times.recordValue(now - begun);
        } while (now - start < nanos);
        turn.end();
        return Contender.Sample.ofRoundTrips(times, size, now - start);
    }
}
