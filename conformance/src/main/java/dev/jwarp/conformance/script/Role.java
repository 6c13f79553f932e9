package dev.jwarp.conformance.script;

import java.util.Locale;

/** What the device under test is: an end of MPA's start-up (RFC 5044 §7.1), or one that speaks datagrams and has no start-up. */
public enum Role {
    /** It connects and sends the Request; the tester listens. */
    INITIATOR,
    /** It listens and sends the Reply; the tester connects. */
    RESPONDER,
    /** It has queue pairs on UDP ports: docs/datagram-iwarp.md. */
    DATAGRAM;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
