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

/** The counts of one end, and its report. One thread. */
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

    /** Begins the report, when the peer is connected. */
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

    /** {@return the counts as text} */
    abstract String counts();

    /** {@return the progress line} */
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

    /** The report of rping. */
    static final class Rounds extends PingReport {
        private long rounds;
        private long validated;
        private long failed;

        /**
         * The report for JSON.
         *
         * @param peer host and port
         * @param rounds completed rounds
         * @param validated rounds whose data was compared and right
         * @param failed rounds whose data was wrong
         * @param sizeBytes bytes of a ping; 0 without a round
         * @param durationMs from the connection to its end
         * @param rttUs times of the rounds; null on the server, which does not measure them
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

        /** Counts a completed round. */
        void round() {
            rounds++;
            touch();
        }

        /** Counts the result of comparing the data of a round. */
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

    /** The report of a udping client. */
    static final class Pings extends PingReport {
        private final Map<Fate, Long> fates = new EnumMap<>(Fate.class);
        private long sent;

        /** The result of a ping. */
        enum Fate {
            /** All bytes came back. */
            WHOLE,
            /** Some bytes came back. */
            PARTIAL,
            /** Other bytes came back. */
            DIFFERENT,
            /** Nothing came back in time. */
            LOST
        }

        /** The report for JSON. */
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

        /** Counts a sent ping. */
        void ping() {
            touch();
            sent++;
        }

        /** Counts the result of the latest ping. */
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

        /** {@return the number of pings with that result; a ping in flight counts as lost} */
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
