package dev.jwarp.rnic;

import dev.jwarp.transport.udp.PortQueuePairFactory;

/** What stands below reliable queue pairs in simulations. */
final class SimulatedReliability {
    static final PortQueuePairFactory FACTORY = (port, upper, now) -> {
        throw new IllegalStateException("no test needs reliable queue pairs");
    };

    private SimulatedReliability() {}
}
