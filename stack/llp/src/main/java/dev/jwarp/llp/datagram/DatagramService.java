package dev.jwarp.llp.datagram;

/** The service of a datagram queue pair, with the numbers of the code table (datagram-iWARP §14). */
public enum DatagramService {
    /** Unreliable: datagrams may be lost. */
    UD(1),
    /** Reliable: exactly once and in order per peer, or an error. */
    RD(2);

    private final int number;

    DatagramService(int number) {
        this.number = number;
    }

    /** {@return the number on the wire} */
    public int number() {
        return number;
    }
}
