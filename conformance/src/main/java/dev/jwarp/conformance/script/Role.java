package dev.jwarp.conformance.script;

import java.util.Locale;

/**
 * The part of the device under test: one of the two ends of MPA's start-up (RFC 5044 §7.1), or an end that speaks
 * datagrams and has no start-up.
 */
public enum Role {
    /** The device connects and sends the Request; the tester listens. */
    INITIATOR,
    /** The device listens and sends the Reply; the tester connects. */
    RESPONDER,
    /** The device has queue pairs on UDP ports: docs/datagram-iwarp.md. */
    DATAGRAM;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
