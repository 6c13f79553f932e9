package dev.jwarp.ddp.llp.datagram;

/** What is known of a path, by those who go there; it may change. Written by the port's owner; any thread sees recent values. */
public interface DatagramPath {
    /** {@return octets of UDP payload that it takes} */
    int maximumDatagram();
}
