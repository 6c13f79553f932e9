package dev.jwarp.mpa;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The ready-to-receive (RTR) messages of the peer-to-peer set-up: one of them, of length zero, is the first message of
 * the initiator and allows the responder to send (RFC 6581 §9.2). In order of preference.
 */
public enum RtrType {
    /** A zero-length RDMA Write (control flag C). Costs the responder nothing. */
    WRITE,
    /** A zero-length RDMA Read (control flag D). Takes one of the responder's inbound reads. */
    READ,
    /** A zero-length Send (control flag B). Takes a receive buffer, which the responder must have posted. */
    SEND;

    /** {@return an unmodifiable set of these types, in order of preference} */
    static Set<RtrType> setOf(Collection<RtrType> types) {
        EnumSet<RtrType> set = EnumSet.noneOf(RtrType.class);
        set.addAll(types);
        return Collections.unmodifiableSet(set);
    }
}
