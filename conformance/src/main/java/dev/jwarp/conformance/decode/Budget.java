package dev.jwarp.conformance.decode;

/** Octets that all connections of a capture hold together while they wait for others: one capture does not fill the memory. */
final class Budget {
    private final long most;
    private long held;

    Budget(long most) {
        this.most = most;
    }

    /** More, or with a negative number fewer, octets are held. */
    void hold(long octets) {
        held += octets;
    }

    boolean exceeded() {
        return held > most;
    }
}
