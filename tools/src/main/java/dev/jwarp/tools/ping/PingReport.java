package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.RoundTrips;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What one end counts, and how it tells it at the end. One thread. */
abstract class PingReport {
    private final String name;
    private final LongSupplier nanoTime;
    private final RoundTrips roundTrips = new RoundTrips();
    private long startedAt;
    private long endedAt;

    private PingReport(String name, LongSupplier nanoTime) {
        this.name = name;
        this.nanoTime = nanoTime;
    }

    /** The peer is there. */
    final void begin() {
        startedAt = nanoTime.getAsLong();
        endedAt = startedAt;
    }

    final void touch() {
        endedAt = nanoTime.getAsLong();
    }

    final void took(long nanos) {
        roundTrips.add(nanos);
    }

    final double durationMillis() {
        return (endedAt - startedAt) / 1e6;
    }

    final RoundTrips.@Nullable Summary roundTrips() {
        return roundTrips.isEmpty() ? null : roundTrips.summary();
    }

    /** {@return the counts in words} */
    abstract String counts();

    /** {@return the sign of life} */
    abstract String soFar();

    /** {@return the lines at the end of a run} */
    final List<String> lines(String peerHost) {
        List<String> lines = new ArrayList<>();
        lines.add("--- " + peerHost + " " + name + " statistics ---");
        lines.add(counts() + ", time " + Quantities.duration(endedAt - startedAt));
        if (!roundTrips.isEmpty()) {
            lines.add(roundTrips.summary().toString());
        }
        return lines;
    }

    /** Of rping. */
    static final class Rounds extends PingReport {
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
        record RoundsSummary(
                String peer,
                long rounds,
                long validated,
                long failed,
                int sizeBytes,
                double durationMs,
                RoundTrips.@Nullable Summary rttUs) {}

        Rounds(LongSupplier nanoTime) {
            super("rping", nanoTime);
        }

        /** A round is done. */
        void round() {
            rounds++;
            touch();
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

        @Override
        String soFar() {
            return rounds + (rounds == 1 ? " round" : " rounds");
        }

        @Override
        String counts() {
            return soFar() + ", " + validated + " validated, " + failed + " failed";
        }

        RoundsSummary summary(String peer, int size) {
            return new RoundsSummary(peer, rounds, validated, failed, size, durationMillis(), roundTrips());
        }
    }

    /** Of a client of udping. */
    static final class Pings extends PingReport {
        private final Map<Fate, Long> fates = new EnumMap<>(Fate.class);
        private long sent;

        /** What became of a ping. */
        enum Fate {
            /** All of it came back. */
            WHOLE,
            /** A part of it came back. */
            PARTIAL,
            /** What came back is not what went out. */
            DIFFERENT,
            /** Nothing came back in time. */
            LOST
        }

        /** The same as data, for JSON. */
        record PingsSummary(
                String peer,
                String operation,
                int sizeBytes,
                long sent,
                long whole,
                long partial,
                long lost,
                long different,
                double lossPercent,
                double durationMs,
                RoundTrips.@Nullable Summary rttUs) {}

        Pings(LongSupplier nanoTime) {
            super("udping", nanoTime);
        }

        /** A ping goes out. */
        void ping() {
            touch();
            sent++;
        }

        /** This became of it. */
        void became(Fate fate, long nanos) {
            touch();
            fates.merge(fate, 1L, Long::sum);
            if (fate == Fate.WHOLE) {
                took(nanos);
            }
        }

        long sent() {
            return sent;
        }

        /** {@return how many came to this end; one that is under way counts as lost} */
        long number(Fate fate) {
            return fate == Fate.LOST
                    ? sent - number(Fate.WHOLE) - number(Fate.PARTIAL) - number(Fate.DIFFERENT)
                    : fates.getOrDefault(fate, 0L);
        }

        private double lossPercent() {
            return sent == 0 ? 0 : 100.0 * number(Fate.LOST) / sent;
        }

        @Override
        String soFar() {
            return sent + (sent == 1 ? " ping" : " pings");
        }

        @Override
        String counts() {
            long different = number(Fate.DIFFERENT);
            return String.format(
                    Locale.ROOT,
                    "%s sent, %d whole, %d partial, %d lost (%.1f%%)%s",
                    soFar(),
                    number(Fate.WHOLE),
                    number(Fate.PARTIAL),
                    number(Fate.LOST),
                    lossPercent(),
                    different == 0 ? "" : ", " + different + " different");
        }

        PingsSummary summary(String peer, String operation, int size) {
            return new PingsSummary(
                    peer,
                    operation,
                    size,
                    sent,
                    number(Fate.WHOLE),
                    number(Fate.PARTIAL),
                    number(Fate.LOST),
                    number(Fate.DIFFERENT),
                    lossPercent(),
                    durationMillis(),
                    roundTrips());
        }
    }
}
