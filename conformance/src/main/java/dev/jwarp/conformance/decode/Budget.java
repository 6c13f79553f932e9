package dev.jwarp.conformance.decode;

import org.jspecify.annotations.Nullable;

/**
 * Bytes of memory that all connections of a capture may hold together while they wait for more bytes, so that no
 * capture fills the memory. Each connection has a part of the budget, which counts its own bytes.
 */
final class Budget {
    private final long most;
    private final @Nullable Budget whole;
    private long held;

    Budget(long most) {
        this(most, null);
    }

    private Budget(long most, @Nullable Budget whole) {
        this.most = most;
        this.whole = whole;
    }

    /** The part of one connection. */
    Budget part() {
        return new Budget(most, this);
    }

    /** Holds more bytes, or fewer if the number is negative. */
    void hold(long octets) {
        held += octets;
        if (whole != null) {
            whole.hold(octets);
        }
    }

    long held() {
        return held;
    }

    boolean exceeded() {
        return held > most;
    }

    void release() {
        hold(-held);
    }
}
