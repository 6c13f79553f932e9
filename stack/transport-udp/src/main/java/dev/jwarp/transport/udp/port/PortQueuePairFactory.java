package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.DatagramUpperLayer;

/** Makes what stands below the layer above for one service: how the engine gets at reliable queue pairs. */
public interface PortQueuePairFactory {
    /** {@return one below {@code upper}, which is told of its attachment by the engine afterwards} Owner thread only. */
    PortQueuePair open(PortServices port, DatagramUpperLayer upper, long nowNanos);
}
