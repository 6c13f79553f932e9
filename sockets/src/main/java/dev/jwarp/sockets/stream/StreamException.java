package dev.jwarp.sockets.stream;

import java.net.SocketException;

/** A stream that ends because of its peer; says what the peer did, behind the words that the JDK has for such an end. */
public final class StreamException extends SocketException {
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
        super(SocketFault.RESET.exception(sentence(fault, detail)).getMessage());
        this.fault = fault;
        this.detail = detail;
    }

    private static String sentence(PeerFault fault, String detail) {
        return "the peer " + fault.words() + ": " + detail;
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

    /** {@return what the peer did, without the words of the JDK} */
    public String sentence() {
        return sentence(fault, detail);
    }
}
