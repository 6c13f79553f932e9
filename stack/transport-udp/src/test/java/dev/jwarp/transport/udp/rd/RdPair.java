package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

/** Two hosts in a simulated network, a and b: the base class of tests, or one of the networks of a test. */
class RdPair {
    final RdSim sim;
    final RdHost a;
    final RdHost b;

    RdPair() {
        this(1);
    }

    RdPair(long seed) {
        sim = new RdSim(seed);
        a = new RdHost(sim, 1, 17);
        b = new RdHost(sim, 2, 18);
    }

    /** Runs until all messages have ended, which takes at most {@code millis}. */
    void settle(long millis) {
        sim.settle(millis, a, b);
    }

    /** All messages were delivered once and in order, in both directions. */
    void assertDelivered() {
        a.assertDelivered(b);
        b.assertDelivered(a);
    }

    /** No channel has ended. */
    void assertNothingLost() {
        assertThat(a.upper.lost).as("%s", sim).isEmpty();
        assertThat(b.upper.lost).as("%s", sim).isEmpty();
    }
}
