package dev.jwarp.ddp.datagram;

/** Receives ranges of octets of a message, one call for each range, in ascending order. */
@FunctionalInterface
public interface RangeConsumer {
    /**
     * Receives one range.
     *
     * @param offset offset of the first octet in the message
     * @param length octets, 1 or more
     */
    void range(long offset, long length);
}
