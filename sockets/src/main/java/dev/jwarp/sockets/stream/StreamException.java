package dev.jwarp.sockets.stream;

import java.io.IOException;

/** A stream that ends because of its peer; says what the peer did. */
public final class StreamException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    private final PeerFault fault;
    /** What came, and what could have. */
    private final String detail;

    /**
     * Says what the peer did.
     *
     * @param fault what is wrong
     * @param detail what came, and what could have
     */
    public StreamException(PeerFault fault, String detail) {
        super("the peer " + fault.words() + ": " + detail);
        this.fault = fault;
        this.detail = detail;
    }

    /** {@return the same with the stack of the present caller} */
    StreamException again() {
        StreamException same = new StreamException(fault, detail);
        same.initCause(this);
        return same;
    }

    /** {@return what is wrong} */
    public PeerFault fault() {
        return fault;
    }
}
