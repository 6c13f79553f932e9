package dev.jwarp.conformance.wire;

import org.jspecify.annotations.Nullable;

/** The messages of RDMAP (RFC 5040 §4.3, RFC 7306 §4): their number, T bit, queue and fixed header. */
public enum Opcode {
    WRITE("RDMA Write", 0, true, -1, 0),
    READ_REQUEST("RDMA Read Request", 1, false, 1, 28),
    READ_RESPONSE("RDMA Read Response", 2, true, -1, 0),
    SEND("Send", 3, false, 0, 0),
    SEND_INVALIDATE("Send with Invalidate", 4, false, 0, 0),
    SEND_SE("Send with SE", 5, false, 0, 0),
    SEND_SE_INVALIDATE("Send with SE and Invalidate", 6, false, 0, 0),
    TERMINATE("Terminate", 7, false, 2, 4),
    IMMEDIATE("Immediate Data", 8, false, 0, 8),
    IMMEDIATE_SE("Immediate Data with SE", 9, false, 0, 8),
    ATOMIC_REQUEST("Atomic Request", 10, false, 1, 52),
    ATOMIC_RESPONSE("Atomic Response", 11, false, 3, 12);

    private final String words;
    private final int number;
    private final boolean tagged;
    private final int queue;
    private final int header;

    Opcode(String words, int number, boolean tagged, int queue, int header) {
        this.words = words;
        this.number = number;
        this.tagged = tagged;
        this.queue = queue;
        this.header = header;
    }

    /** The opcode with this number, or null. */
    public static @Nullable Opcode of(int number) {
        return number >= 0 && number < values().length ? values()[number] : null;
    }

    /** The name in the RFC. */
    public String words() {
        return words;
    }

    /** The number in the four bits of the header. */
    public int number() {
        return number;
    }

    /** Whether its segments are tagged. */
    public boolean tagged() {
        return tagged;
    }

    /** Its queue; -1 if tagged. */
    public int queue() {
        return queue;
    }

    /** Bytes of its RDMAP header (of a Terminate the part that is always there); 0 where there is none. */
    public int header() {
        return header;
    }

    public boolean invalidates() {
        return this == SEND_INVALIDATE || this == SEND_SE_INVALIDATE;
    }
}
