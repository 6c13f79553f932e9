package dev.jwarp.rnic.core;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;

/** What a failed start-up is called above. */
public final class CmFailures {
    private CmFailures() {}

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
}
