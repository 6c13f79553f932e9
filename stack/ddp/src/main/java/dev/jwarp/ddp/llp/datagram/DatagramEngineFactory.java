package dev.jwarp.ddp.llp.datagram;

/**
 * Makes the engines that a driver runs: the one thing a driver has to know about the protocol in its datagrams. A factory
 * and all its engines have one owner, so that they may share memory: a driver with several threads has one for each.
 */
public interface DatagramEngineFactory {
    /** {@return an engine for a port that {@code driver} has bound} Owner thread only. */
    DatagramEngine open(DatagramDriver driver, long nowNanos);
}
