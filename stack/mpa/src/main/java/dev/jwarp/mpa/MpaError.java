package dev.jwarp.mpa;

/** The errors of MPA: layer 2, type 0 of the Terminate message (RFC 5044 §8, RFC 6581 §8). */
public enum MpaError {
    /** TCP closed, reset or timed out; only reported locally, because nothing can be sent any more. */
    CONNECTION_LOST(0x01, "the TCP connection was closed or lost", "RFC 5044 §8"),
    /** The CRC is in use and wrong. */
    CRC(0x02, "CRC32C mismatch in an FPDU", "RFC 5044 §8"),
    /** The CRC is correct or not in use, but a Marker does not point to the start of its FPDU. */
    MARKER(0x03, "a Marker and the ULPDU_Length disagree", "RFC 5044 §8"),
    /** An invalid Request or Reply; the connection is closed without a Terminate. See {@link StartFrameProblem}. */
    INVALID_START_FRAME(0x04, "invalid MPA Request or Reply frame", "RFC 5044 §8"),
    /** A local failure during the enhanced start-up. */
    LOCAL_CATASTROPHIC(0x05, "local failure at start-up", "RFC 6581 §8"),
    /** The responder requires more outstanding RDMA Reads than the initiator supports. */
    INSUFFICIENT_IRD(0x06, "too few inbound RDMA Read resources", "RFC 6581 §8"),
    /** Peer-to-peer start-up without a common ready-to-receive message. */
    NO_MATCHING_RTR(0x07, "no ready-to-receive message that both ends know", "RFC 6581 §8");

    private final int code;
    private final String sentence;
    private final String source;

    MpaError(int code, String sentence, String source) {
        this.code = code;
        this.sentence = sentence;
        this.source = source;
    }

    /** {@return the error code on the wire} */
    public int code() {
        return code;
    }

    /** {@return a description of the error, without a full stop} */
    public String sentence() {
        return sentence;
    }

    /** {@return document and section that define the code} */
    public String source() {
        return source;
    }
}
