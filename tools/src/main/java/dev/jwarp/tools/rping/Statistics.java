package dev.jwarp.tools.rping;

import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.RoundTrips;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a ping counts, and how it tells it at the end. One thread. */
final class Statistics {
    private final LongSupplier nanoTime;
    private final RoundTrips roundTrips = new RoundTrips();
    private long startedAt;
    private long endedAt;
    private long rounds;
    private long validated;
    private long failed;

    /**
     * The same as data, for JSON.
     *
     * @param peer host and port
     * @param rounds that were completed
     * @param validated of them, those whose data were compared and found right
     * @param failed those whose data were wrong
     * @param sizeBytes bytes of a ping, 0 if none was made
     * @param durationMs from the connection to its end
     * @param rttUs how long the rounds took; null on the server, which cannot know
     */
    record Summary(
            String peer,
            long rounds,
            long validated,
            long failed,
            int sizeBytes,
            double durationMs,
            RoundTrips.@Nullable Summary rttUs) {}

    Statistics(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The connection is there. */
    void begin() {
        startedAt = nanoTime.getAsLong();
        endedAt = startedAt;
    }

    /** A round is done. */
    void round() {
        rounds++;
        endedAt = nanoTime.getAsLong();
    }

    /** A round is done, and this is how long it took. */
    void round(long nanos) {
        round();
        roundTrips.add(nanos);
    }

    /** The data of a round were compared. */
    void compared(boolean right) {
        if (right) {
            validated++;
        } else {
            failed++;
        }
    }

    long rounds() {
        return rounds;
    }

    /** {@return the lines at the end of a run} */
    List<String> lines(String peerHost) {
        List<String> lines = new ArrayList<>();
        lines.add("--- " + peerHost + " rping statistics ---");
        lines.add(rounds + (rounds == 1 ? " round, " : " rounds, ") + validated + " validated, " + failed
                + " failed, time " + Quantities.duration(endedAt - startedAt));
        if (!roundTrips.isEmpty()) {
            lines.add(roundTrips.summary().toString());
        }
        return lines;
    }

    Summary summary(String peer, int size) {
        return new Summary(
                peer,
                rounds,
                validated,
                failed,
                size,
                (endedAt - startedAt) / 1e6,
                roundTrips.isEmpty() ? null : roundTrips.summary());
    }
}
