package dev.jwarp.sockets.stream;

import java.net.SocketException;

/**
 * The failure of a stream because of its peer. The message has the JDK's words for a reset connection, followed by the
 * violation.
 */
public final class StreamException extends SocketException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    private final PeerFault fault;
    /** The received value, and the valid ones. */
    private final String detail;

    /**
     * Made with the violation.
     *
     * @param fault kind of violation
     * @param detail the received value, and the valid ones
     */
    public StreamException(PeerFault fault, String detail) {
        super(SocketFault.RESET.exception(sentence(fault, detail)).getMessage());
        this.fault = fault;
        this.detail = detail;
    }

    private static String sentence(PeerFault fault, String detail) {
        return "the peer " + fault.words() + ": " + detail;
    }

    /** {@return the same exception with the stack of the current caller} */
    StreamException again() {
        StreamException same = new StreamException(fault, detail);
        same.initCause(this);
        return same;
    }

    /** {@return the kind of violation} */
    public PeerFault fault() {
        return fault;
    }

    /** {@return what the peer did, without the words of the JDK} */
    public String sentence() {
        return sentence(fault, detail);
    }
}
