package dev.jwarp.ddp.datagram;

/** Takes ranges of octets of a message, one call each, in ascending order. */
@FunctionalInterface
public interface RangeConsumer {
    /**
     * Takes one range.
     *
     * @param offset of its first octet in the message
     * @param length octets, 1 or more
     */
    void range(long offset, long length);
}
