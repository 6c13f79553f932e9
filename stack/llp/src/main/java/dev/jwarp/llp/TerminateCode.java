package dev.jwarp.llp;

import static dev.jwarp.llp.OperationStatus.FATAL_ERR;
import static dev.jwarp.llp.OperationStatus.REM_ACCESS_ERR;
import static dev.jwarp.llp.OperationStatus.REM_INV_REQ_ERR;
import static dev.jwarp.llp.OperationStatus.REM_OP_ERR;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The table of errors: every violation of MPA, DDP or RDMAP by a peer. Each row has the code on the wire (layer / error
 * type / error code of a Terminate, RFC 5040 §4.8, or of a NOTIFY, datagram-iWARP §9), the status of the requester's
 * outstanding operation when it receives this code, a sentence, and the reference of the definition.
 *
 * <p>This table is in {@code llp}, below all modules that raise codes, so that DDP, RDMAP and the transports share it.
 */
public enum TerminateCode {
    // Layer 0: RDMAP. RFC 5040 §4.8, figure 9; RFC 5040 §7.2 defines when each code is raised.
    RDMAP_LOCAL_CATASTROPHIC(0, 0, 0x00, REM_OP_ERR, "the peer's RDMAP layer failed locally", "RFC 5040 §4.8"),
    RDMAP_INVALID_STAG(0, 1, 0x00, REM_ACCESS_ERR, "no such STag for an RDMA Read or Atomic", "RFC 5040 §7.2"),
    RDMAP_BASE_BOUNDS(0, 1, 0x01, REM_ACCESS_ERR, "outside the memory region of the STag", "RFC 5040 §7.2"),
    RDMAP_ACCESS_RIGHTS(0, 1, 0x02, REM_ACCESS_ERR, "the memory region does not grant this access", "RFC 5040 §4.8"),
    RDMAP_STAG_NOT_ASSOCIATED(0, 1, 0x03, REM_ACCESS_ERR, "the STag belongs to another stream", "RFC 5040 §7.2"),
    RDMAP_TO_WRAP(0, 1, 0x04, REM_ACCESS_ERR, "the tagged offset wraps around 2^64", "RFC 5040 §7.2"),
    RDMAP_CANNOT_INVALIDATE(0, 1, 0x09, REM_ACCESS_ERR, "the STag cannot be invalidated by the peer", "RFC 5040 §5.3"),
    RDMAP_PROTECTION_UNSPECIFIED(0, 1, 0xFF, REM_ACCESS_ERR, "unspecified remote protection error", "RFC 5040 §4.8"),
    RDMAP_INVALID_VERSION(0, 2, 0x05, REM_INV_REQ_ERR, "unacceptable RDMAP version", "RFC 5040 §7.2"),
    RDMAP_UNEXPECTED_OPCODE(0, 2, 0x06, REM_INV_REQ_ERR, "unexpected or unsupported RDMAP opcode", "RFC 5040 §7.2"),
    RDMAP_CATASTROPHIC_STREAM(
            0,
            2,
            0x07,
            REM_OP_ERR,
            "catastrophic error of this RDMAP stream, such as an Atomic at an address that is no multiple of 8",
            "RFC 5040 §4.8"),
    RDMAP_CATASTROPHIC_GLOBAL(0, 2, 0x08, REM_OP_ERR, "catastrophic error of the peer's device", "RFC 5040 §4.8"),
    RDMAP_CANNOT_INVALIDATE_OPERATION(
            0, 2, 0x09, REM_ACCESS_ERR, "the STag cannot be invalidated by the peer", "RFC 5040 §4.8"),
    RDMAP_OPERATION_UNSPECIFIED(0, 2, 0xFF, REM_INV_REQ_ERR, "malformed RDMAP message", "RFC 5040 §4.8"),

    // Layer 1: DDP. RFC 5041 §7.2.
    DDP_LOCAL_CATASTROPHIC(1, 0, 0x00, REM_OP_ERR, "the peer's DDP layer failed locally", "RFC 5041 §7.2"),
    DDP_INVALID_STAG(1, 1, 0x00, REM_ACCESS_ERR, "no such STag, or it does not allow remote writes", "RFC 5041 §7.2"),
    DDP_BASE_BOUNDS(1, 1, 0x01, REM_ACCESS_ERR, "outside the memory region of the STag", "RFC 5041 §7.2"),
    DDP_STAG_NOT_ASSOCIATED(1, 1, 0x02, REM_ACCESS_ERR, "the STag belongs to another stream", "RFC 5041 §7.2"),
    DDP_TO_WRAP(1, 1, 0x03, REM_ACCESS_ERR, "the tagged offset wraps around 2^64", "RFC 5041 §7.2"),
    DDP_TAGGED_VERSION(1, 1, 0x04, REM_INV_REQ_ERR, "unacceptable DDP version in a tagged segment", "RFC 5041 §7.2"),
    DDP_INVALID_QN(1, 2, 0x01, REM_INV_REQ_ERR, "no such untagged queue for this message", "RFC 5041 §7.2"),
    DDP_NO_BUFFER(1, 2, 0x02, REM_OP_ERR, "the message found no posted buffer", "RFC 5041 §7.2"),
    DDP_MSN_RANGE(1, 2, 0x03, REM_INV_REQ_ERR, "message sequence number out of range", "RFC 5041 §7.2"),
    DDP_INVALID_MO(1, 2, 0x04, REM_INV_REQ_ERR, "message offset does not continue the message", "RFC 5041 §7.2"),
    DDP_MESSAGE_TOO_LONG(1, 2, 0x05, REM_INV_REQ_ERR, "the message is longer than its buffer", "RFC 5041 §7.2"),
    DDP_UNTAGGED_VERSION(
            1, 2, 0x06, REM_INV_REQ_ERR, "unacceptable DDP version in an untagged segment", "RFC 5041 §7.2"),

    // Layer 2: the lower layer, here MPA. RFC 5044 §8; codes 05 to 07 from RFC 6581 §8.
    MPA_CONNECTION_LOST(2, 0, 0x01, FATAL_ERR, "the TCP connection was closed or lost", "RFC 5044 §8"),
    MPA_CRC(2, 0, 0x02, FATAL_ERR, "CRC32C mismatch in an FPDU", "RFC 5044 §8"),
    MPA_MARKER(2, 0, 0x03, FATAL_ERR, "a Marker and the ULPDU_Length disagree", "RFC 5044 §8"),
    MPA_INVALID_START_FRAME(2, 0, 0x04, FATAL_ERR, "invalid MPA Request or Reply frame", "RFC 5044 §8"),
    MPA_LOCAL_CATASTROPHIC(2, 0, 0x05, FATAL_ERR, "the peer's MPA layer failed locally at start-up", "RFC 6581 §8"),
    MPA_INSUFFICIENT_IRD(2, 0, 0x06, FATAL_ERR, "too few inbound RDMA Read resources", "RFC 6581 §8"),
    MPA_NO_MATCHING_RTR(2, 0, 0x07, FATAL_ERR, "no ready-to-receive message that both ends know", "RFC 6581 §8"),

    // Layer 2 over datagrams: type 1, so that MPA's codes keep their meaning.
    DATAGRAM_TOO_LONG(2, 1, 0x02, REM_INV_REQ_ERR, "longer than the peer takes", "datagram-iWARP §18"),
    DATAGRAM_BUSY(
            2, 1, 0x03, REM_OP_ERR, "the peer is already doing as much as it can for this side", "datagram-iWARP §18");

    private static final TerminateCode[] ALL = values();

    private final int layer;
    private final int errorType;
    private final int errorCode;
    private final OperationStatus requesterStatus;
    private final String sentence;
    private final String source;

    TerminateCode(int layer, int errorType, int errorCode, OperationStatus status, String sentence, String source) {
        this.layer = layer;
        this.errorType = errorType;
        this.errorCode = errorCode;
        this.requesterStatus = status;
        this.sentence = sentence;
        this.source = source;
    }

    /** {@return 0 RDMAP, 1 DDP, 2 lower layer (MPA, datagrams)} */
    public int layer() {
        return layer;
    }

    /** {@return the error type within the layer, 0 to 15} */
    public int errorType() {
        return errorType;
    }

    /** {@return the error code within the type, 0 to 255} */
    public int errorCode() {
        return errorCode;
    }

    /**
     * {@return whether this code reports a failure of its sender, not one caused by a message of the receiver} RFC 5040
     * §4.8, RFC 5041 §7.2, RFC 6581 §8: the local catastrophic errors.
     */
    public boolean ofSender() {
        return this == RDMAP_LOCAL_CATASTROPHIC || this == DDP_LOCAL_CATASTROPHIC || this == MPA_LOCAL_CATASTROPHIC;
    }

    /** {@return the status of the outstanding operation that a received Terminate with this code names} */
    public OperationStatus requesterStatus() {
        return requesterStatus;
    }

    /** {@return a description of the error, without a full stop} */
    public String sentence() {
        return sentence;
    }

    /** {@return document and section that define the code} */
    public String source() {
        return source;
    }

    /** {@return the triple in the notation of the IANA RDDP registry, such as {@code 0x1/0x2/0x02}} */
    public String triple() {
        return String.format(Locale.ROOT, "0x%x/0x%x/0x%02x", layer, errorType, errorCode);
    }

    /** {@return the row with this triple, or null if no RFC defines it; 0/0/any is one row (RFC 5040 §4.8)} */
    public static @Nullable TerminateCode of(int layer, int errorType, int errorCode) {
        for (TerminateCode code : ALL) {
            if (code.layer == layer
                    && code.errorType == errorType
                    && (code.errorCode == errorCode || code == RDMAP_LOCAL_CATASTROPHIC)) {
                return code;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return name() + " (" + triple() + ", " + source + "): " + sentence;
    }
}
