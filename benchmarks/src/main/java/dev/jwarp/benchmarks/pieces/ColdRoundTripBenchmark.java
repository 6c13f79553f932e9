package dev.jwarp.benchmarks.pieces;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;

/**
 * Half of the round trip of {@link RoundTripBenchmark} with cold caches: one message, in alternating directions. Before
 * each message, and outside of its time, other data and other code displace those of the message from the caches. JMH
 * times each message alone, so two readings of the clock are part of each figure.
 */
public class ColdRoundTripBenchmark extends RoundTripBenchmark {
    private final CacheDisplacement caches = new CacheDisplacement();

    /** A message in an operation. */
    public ColdRoundTripBenchmark() {
        super(1);
    }

    /** Compiles the walk. */
    @Setup
    public void warmUp() {
        caches.warmUp();
    }

    /** Makes the caches cold. */
    @Setup(Level.Invocation)
    public void displace() {
        caches.displace();
    }
}
