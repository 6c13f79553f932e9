package dev.jwarp.llp.datagram;

/**
 * The properties of a path, shared by its senders; they may change. Written by the port's owner; any thread sees recent
 * values.
 */
public interface DatagramPath {
    /** {@return the maximum UDP payload of the path in bytes} */
    int maximumDatagram();
}
