package dev.jwarp.mpa;

/** The errors of MPA: layer 2, type 0 of the Terminate message (RFC 5044 §8, RFC 6581 §8). */
public enum MpaError {
    /** TCP closed, reset or timed out; only reported locally, as nothing can be sent any more. */
    CONNECTION_LOST(0x01, "the TCP connection was closed or lost", "RFC 5044 §8"),
    /** CRC in use and wrong. */
    CRC(0x02, "CRC32C mismatch in an FPDU", "RFC 5044 §8"),
    /** The CRC was right (or not in use), but a Marker does not point to the beginning of its FPDU. */
    MARKER(0x03, "a Marker and the ULPDU_Length disagree", "RFC 5044 §8"),
    /** A Request or Reply that is none; the connection is closed without a Terminate. See {@link StartFrameProblem}. */
    INVALID_START_FRAME(0x04, "invalid MPA Request or Reply frame", "RFC 5044 §8"),
    /** A local failure while the enhanced start-up was under way. */
    LOCAL_CATASTROPHIC(0x05, "local failure at start-up", "RFC 6581 §8"),
    /** The responder wants more RDMA Reads outstanding than the initiator can hold. */
    INSUFFICIENT_IRD(0x06, "too few inbound RDMA Read resources", "RFC 6581 §8"),
    /** Peer-to-peer start-up without a ready-to-receive message that both ends know. */
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

    /** {@return what happened, without a full stop} */
    public String sentence() {
        return sentence;
    }

    /** {@return where the code is defined} */
    public String source() {
        return source;
    }
}
