package dev.jwarp.ddp.llp.datagram;

/** What a datagram queue pair promises; numbers of the code table (datagram-iWARP §14). */
public enum DatagramService {
    /** Unreliable: each datagram arrives, or not. */
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
