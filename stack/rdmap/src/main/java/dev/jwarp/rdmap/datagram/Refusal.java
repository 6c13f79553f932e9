package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.AccessFault;
import dev.jwarp.llp.TerminateCode;
import org.jspecify.annotations.Nullable;

/**
 * The failures of checks 11 to 19 of datagram-iWARP §5, in order: each with its counter and the code for the sender, if
 * any.
 */
enum Refusal {
    // RFC 5041 §7.1, §7.2; RFC 5040 §7.2: versions.
    DDP_VERSION_TAGGED(DatagramCounter.DDP_VERSION, TerminateCode.DDP_TAGGED_VERSION),
    DDP_VERSION_UNTAGGED(DatagramCounter.DDP_VERSION, TerminateCode.DDP_UNTAGGED_VERSION),
    RDMAP_VERSION(DatagramCounter.RDMAP_VERSION, TerminateCode.RDMAP_INVALID_VERSION),
    RDMAP_OPCODE(DatagramCounter.RDMAP_OPCODE, TerminateCode.RDMAP_UNEXPECTED_OPCODE),
    DDP_QN(DatagramCounter.DDP_QN, TerminateCode.DDP_INVALID_QN),
    DDP_MO(DatagramCounter.DDP_MO, TerminateCode.DDP_INVALID_MO),
    SEG_SHAPE(DatagramCounter.SEG_SHAPE, null),
    SEND_TOO_LONG(DatagramCounter.MSG_TOO_LONG, TerminateCode.DDP_MESSAGE_TOO_LONG),
    TOO_LONG(DatagramCounter.MSG_TOO_LONG, TerminateCode.DATAGRAM_TOO_LONG),
    SEG_CONFLICT(DatagramCounter.SEG_CONFLICT, null),
    DUP_SEGMENT(DatagramCounter.DUP_SEGMENT, null),
    RECV_TOO_SMALL(DatagramCounter.RECV_TOO_SMALL, TerminateCode.DDP_MESSAGE_TOO_LONG),
    STAG_INVALID(DatagramCounter.STAG_INVALID, TerminateCode.DDP_INVALID_STAG),
    STAG_PEER(DatagramCounter.STAG_PEER, TerminateCode.DDP_STAG_NOT_ASSOCIATED),
    STAG_RIGHTS(DatagramCounter.STAG_RIGHTS, TerminateCode.DDP_INVALID_STAG),
    TO_WRAP(DatagramCounter.TO_WRAP, TerminateCode.DDP_TO_WRAP),
    TO_BOUNDS(DatagramCounter.TO_BOUNDS, TerminateCode.DDP_BASE_BOUNDS),
    READ_MALFORMED(DatagramCounter.READ_MALFORMED, TerminateCode.RDMAP_OPERATION_UNSPECIFIED),
    READ_TOO_LONG(DatagramCounter.READ_TOO_LONG, TerminateCode.DATAGRAM_TOO_LONG),
    READ_STAG_INVALID(DatagramCounter.READ_STAG_INVALID, TerminateCode.RDMAP_INVALID_STAG),
    READ_STAG_PEER(DatagramCounter.READ_STAG_PEER, TerminateCode.RDMAP_STAG_NOT_ASSOCIATED),
    READ_RIGHTS(DatagramCounter.READ_RIGHTS, TerminateCode.RDMAP_ACCESS_RIGHTS),
    READ_WRAP(DatagramCounter.READ_WRAP, TerminateCode.RDMAP_TO_WRAP),
    READ_BOUNDS(DatagramCounter.READ_BOUNDS, TerminateCode.RDMAP_BASE_BOUNDS),
    READ_BUSY(DatagramCounter.READ_BUSY, TerminateCode.DATAGRAM_BUSY),
    /** RD only: in the error state no segment is accepted, and the sender has to be notified. */
    STOPPED(DatagramCounter.RX_STOPPED, TerminateCode.RDMAP_LOCAL_CATASTROPHIC);

    final DatagramCounter counter;

    /** The code of the NOTIFY; null if UD sends none. */
    final @Nullable TerminateCode code;

    Refusal(DatagramCounter counter, @Nullable TerminateCode code) {
        this.counter = counter;
        this.code = code;
    }

    /** {@return the refusal for an access fault of a Write or Write-Record: check 18} */
    static Refusal ofWrite(AccessFault fault) {
        return switch (fault) {
            case STAG_INVALID -> STAG_INVALID;
            case NOT_ASSOCIATED -> STAG_PEER;
            case RIGHTS -> STAG_RIGHTS;
            case WRAP -> TO_WRAP;
            case BOUNDS -> TO_BOUNDS;
        };
    }

    /** {@return the refusal for an access fault of a Read: check 19} */
    static Refusal ofRead(AccessFault fault) {
        return switch (fault) {
            case STAG_INVALID -> READ_STAG_INVALID;
            case NOT_ASSOCIATED -> READ_STAG_PEER;
            case RIGHTS -> READ_RIGHTS;
            case WRAP -> READ_WRAP;
            case BOUNDS -> READ_BOUNDS;
        };
    }

    /** {@return the code of the RD-RESET, never null: a reliable channel cannot continue without a segment} */
    TerminateCode reliableCode() {
        return code == null ? TerminateCode.RDMAP_OPERATION_UNSPECIFIED : code;
    }
}
