package dev.jwarp.llp.datagram;

/**
 * Creates the engines of a driver, which needs to know nothing else about the protocol in its datagrams. A factory and
 * its engines have one owner, so that they can share memory: a driver with several threads has one factory per thread.
 */
public interface DatagramEngineFactory {
    /** {@return an engine for a port that {@code driver} has bound} Owner thread only. */
    DatagramEngine open(DatagramDriver driver, long nowNanos);
}
