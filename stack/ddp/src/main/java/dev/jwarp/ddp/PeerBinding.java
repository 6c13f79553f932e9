package dev.jwarp.ddp;

/**
 * Which peers may use a region by datagrams: it replaces the association with a stream, which datagrams do not have
 * (datagram-iWARP §9). Never changes; any thread; must not allocate.
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
