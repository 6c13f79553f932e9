package dev.jwarp.tools.udping;

import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.RoundTrips;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a client counts. One thread. */
final class UdpingStatistics {
    private final LongSupplier nanoTime;
    private final RoundTrips roundTrips = new RoundTrips();
    private long sent;
    private long whole;
    private long partial;
    private long different;
    private long startedAt;
    private long endedAt;

    /** The same for JSON. */
    record Summary(
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

    UdpingStatistics(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A ping goes out. */
    void ping() {
        endedAt = nanoTime.getAsLong();
        if (sent == 0) {
            startedAt = endedAt;
        }
        sent++;
    }

    /** It came back. */
    void whole(long nanos) {
        whole++;
        roundTrips.add(nanos);
        endedAt = nanoTime.getAsLong();
    }

    /** A part of it did. */
    void partial() {
        partial++;
        endedAt = nanoTime.getAsLong();
    }

    /** It came back, and is not what went out. */
    void different() {
        different++;
        endedAt = nanoTime.getAsLong();
    }

    /** It did not come back in time. */
    void lost() {
        endedAt = nanoTime.getAsLong();
    }

    long sentSoFar() {
        return sent;
    }

    /** {@return whether anything came back} */
    boolean anyAnswer() {
        return whole + partial + different > 0;
    }

    long differentSoFar() {
        return different;
    }

    private long lostSoFar() {
        return sent - whole - partial - different;
    }

    private double lossPercent() {
        return sent == 0 ? 0 : 100.0 * lostSoFar() / sent;
    }

    /** {@return the lines at the end of a run} */
    List<String> lines(String peerHost) {
        List<String> lines = new ArrayList<>();
        lines.add("--- " + peerHost + " udping statistics ---");
        lines.add(String.format(
                Locale.ROOT,
                "%d %s sent, %d whole, %d partial, %d lost (%.1f%%)%s, time %s",
                sent,
                sent == 1 ? "ping" : "pings",
                whole,
                partial,
                lostSoFar(),
                lossPercent(),
                different == 0 ? "" : ", " + different + " different",
                Quantities.duration(endedAt - startedAt)));
        if (!roundTrips.isEmpty()) {
            lines.add(roundTrips.summary().toString());
        }
        return lines;
    }

    Summary summary(String peer, UdpingSettings settings) {
        return new Summary(
                peer,
                settings.kind().toString(),
                settings.size(),
                sent,
                whole,
                partial,
                lostSoFar(),
                different,
                lossPercent(),
                (endedAt - startedAt) / 1e6,
                roundTrips.isEmpty() ? null : roundTrips.summary());
    }
}
