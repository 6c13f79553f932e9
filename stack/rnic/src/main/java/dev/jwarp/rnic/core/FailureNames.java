package dev.jwarp.rnic.core;

import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import org.jspecify.annotations.Nullable;

/** Names of failures of a start-up or a stream: a sentence for people, an event or an exception for programs. */
public final class FailureNames {
    private static final int LOWER_LAYER = 2;
    private static final int PROTECTION_ERROR = 1;

    private FailureNames() {}

    public static RdmaErrorCode code(LlpFailure failure) {
        return switch (failure) {
            case REFUSED -> RdmaErrorCode.CONNECTION_REFUSED;
            case UNREACHABLE -> RdmaErrorCode.UNREACHABLE;
            case TIMED_OUT -> RdmaErrorCode.TIMED_OUT;
            case CLOSED_BY_PEER -> RdmaErrorCode.CLOSED_BY_PEER;
            case BAD_START_FRAME -> RdmaErrorCode.PROTOCOL_MISMATCH;
            case NO_AGREEMENT -> RdmaErrorCode.NO_AGREEMENT;
            case ADDRESS_IN_USE -> RdmaErrorCode.ADDRESS_IN_USE;
            case ADDRESS_NOT_AVAILABLE -> RdmaErrorCode.ADDRESS_NOT_AVAILABLE;
            case PERMISSION_DENIED -> RdmaErrorCode.PERMISSION_DENIED;
            case LIBRARY_MISSING -> RdmaErrorCode.NOT_FOUND;
            case LIMIT_REACHED -> RdmaErrorCode.LIMIT_REACHED;
            case LOCAL -> RdmaErrorCode.DISCONNECTED;
        };
    }

    /** As Linux's connection manager does for iWARP: a refused TCP connection counts as a rejection. */
    public static CmEventType eventType(LlpFailure failure) {
        return switch (failure) {
            case REFUSED -> CmEventType.REJECTED;
            case UNREACHABLE, TIMED_OUT -> CmEventType.UNREACHABLE;
            default -> CmEventType.CONNECT_ERROR;
        };
    }

    public static RdmaException exception(LlpException e) {
        RdmaErrorCode code = e.failure() == LlpFailure.LOCAL ? RdmaErrorCode.INTERNAL : code(e.failure());
        return new RdmaException(code, String.valueOf(e.getMessage()), e);
    }

    /** {@return the message for an exception inside this stack} */
    public static String fault(Throwable cause) {
        return "This side failed: " + cause + ".";
    }

    public static String lost(LlpEnd how) {
        return how == LlpEnd.ABORTED
                ? "This side aborted the connection."
                : "The connection was lost: " + how.sentence() + ".";
    }

    /** {@return the message for an end of the stream before the responses to this side's RDMA Reads or Atomics} */
    public static String unanswered() {
        return "The peer closed the connection before it had answered what this side asked of it. A process that was"
                + " killed ends like this too.";
    }

    /**
     * {@return the message for the end of a stream}
     *
     * @param how the end of the connection, if the connection ended
     */
    public static String sentence(
            @Nullable TerminateCode code, boolean foundHere, @Nullable TerminateMessage message, @Nullable LlpEnd how) {
        if (code == TerminateCode.MPA_CONNECTION_LOST && how != null) {
            return lost(how);
        }
        if (foundHere) {
            if (code == null) {
                return "This side ended the stream.";
            }
            return code.ofSender()
                    ? "This side failed, and sent a Terminate (" + code.triple() + ", " + code.source()
                            + "): a work request that is neither a success nor flushed says why."
                    : "This side refused what the peer sent: " + text(code) + ".";
        }
        if (code == null) {
            return "The peer sent a Terminate with a code that no RFC defines"
                    + (message == null ? "." : ": " + message + ".");
        }
        return "The peer sent a Terminate: " + text(code) + ".";
    }

    private static String text(TerminateCode code) {
        return code.sentence() + " (" + code.triple() + ", " + code.source() + ")";
    }

    public static AsyncEventType eventType(@Nullable TerminateCode code, boolean foundHere) {
        if (!foundHere || code == null || code.layer() == LOWER_LAYER || code.ofSender()) {
            return AsyncEventType.QP_FATAL;
        }
        return code.errorType() == PROTECTION_ERROR ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR;
    }
}
