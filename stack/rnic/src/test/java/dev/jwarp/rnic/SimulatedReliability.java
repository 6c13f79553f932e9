package dev.jwarp.rnic;

import dev.jwarp.transport.udp.port.PortQueuePair;
import dev.jwarp.transport.udp.rd.RdQueuePair;

/** The reliability layer below reliable queue pairs in simulations. */
public final class SimulatedReliability {
    public static final PortQueuePair.Factory FACTORY = RdQueuePair::open;

    private SimulatedReliability() {}
}
