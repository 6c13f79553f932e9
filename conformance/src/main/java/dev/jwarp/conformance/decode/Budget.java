package dev.jwarp.conformance.decode;

import org.jspecify.annotations.Nullable;

/**
 * Memory, in octets, that all connections of a capture hold together while they wait for others: one capture does not fill the memory. Each
 * connection has a part of it, so that it is known what that one holds.
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

    /** What one of several holds of it. */
    Budget part() {
        return new Budget(most, this);
    }

    /** More, or with a negative number fewer, octets are held. */
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

    /** Nothing is held any more. */
    void release() {
        hold(-held);
    }
}
