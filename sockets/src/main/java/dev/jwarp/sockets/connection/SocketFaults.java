package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.SocketFault;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Translates exceptions of the verbs to exceptions of sockets. */
public final class SocketFaults {
    private SocketFaults() {}

    /**
     * {@return the exception of a socket}
     *
     * @param e exception of the verbs
     */
    public static IOException of(RdmaException e) {
        String sentence = String.valueOf(e.getMessage());
        String told = SocketFault.told(sentence);
        IOException exception = of(e.code(), sentence);
        exception.initCause(told.equals(sentence) ? e : new RdmaException(e.code(), told)); // without the address
        return exception;
    }

    /**
     * {@return the exception of a socket}
     *
     * @param code kind of failure; null: unknown
     * @param sentence what happened
     */
    static IOException of(@Nullable RdmaErrorCode code, String sentence) {
        if (code == null) {
            return new IOException(SocketFault.told(sentence));
        }
        return switch (code) {
            case CONNECTION_REFUSED, REJECTED, PROTOCOL_MISMATCH, NO_AGREEMENT ->
                SocketFault.REFUSED.exception(sentence);
            case TIMED_OUT -> SocketFault.TIMED_OUT.exception(sentence);
            case CLOSED_BY_PEER -> SocketFault.RESET_BY_PEER.exception(sentence);
            case UNREACHABLE -> SocketFault.NO_ROUTE.exception(sentence);
            case ADDRESS_IN_USE -> SocketFault.IN_USE.exception(sentence);
            case ADDRESS_NOT_AVAILABLE -> SocketFault.NOT_OURS.exception(sentence);
            case PERMISSION_DENIED -> SocketFault.DENIED.exception(sentence);
            default -> new IOException(SocketFault.told(sentence));
        };
    }
}
