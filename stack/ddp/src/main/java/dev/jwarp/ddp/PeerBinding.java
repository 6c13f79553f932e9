package dev.jwarp.ddp;

import dev.jwarp.llp.datagram.DatagramAddress;

/**
 * The peers that may use a region by datagrams. The binding replaces the association with a stream, which datagrams do
 * not have (datagram-iWARP §9). Immutable; any thread; must not allocate.
 */
@FunctionalInterface
public interface PeerBinding {
    /**
     * {@return whether that peer may use the memory}
     *
     * @param source valid during the call only
     * @param queuePairNumber the peer's
     */
    boolean admits(DatagramAddress source, int queuePairNumber);
}
