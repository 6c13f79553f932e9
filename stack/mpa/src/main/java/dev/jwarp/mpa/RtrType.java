package dev.jwarp.mpa;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

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

    /** All possible sets by their bits, shared by all connections. */
    private static final List<Set<RtrType>> SETS =
            IntStream.range(0, 8).mapToObj(RtrType::setOfBits).toList();

    private static Set<RtrType> setOfBits(int bits) {
        EnumSet<RtrType> set = EnumSet.noneOf(RtrType.class);
        for (RtrType type : values()) {
            if ((bits & bit(type)) != 0) {
                set.add(type);
            }
        }
        return Collections.unmodifiableSet(set);
    }

    private static int bit(RtrType type) {
        return type == WRITE ? 1 : type == READ ? 2 : 4;
    }

    /** {@return an unmodifiable set of these types, in order of preference} */
    static Set<RtrType> setOf(Collection<RtrType> types) {
        int bits = 0;
        for (RtrType type : types) {
            bits |= bit(type);
        }
        return SETS.get(bits);
    }
}
