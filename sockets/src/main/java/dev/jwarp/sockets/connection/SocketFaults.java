package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import org.jspecify.annotations.Nullable;

/** The exceptions of sockets for what the verbs say: of the class that a program looks for, with the sentence of the verbs. */
public final class SocketFaults {
    private SocketFaults() {}

    /**
     * {@return what a socket throws}
     *
     * @param e what the verbs throw
     */
    public static IOException of(RdmaException e) {
        IOException exception = of(e.code(), String.valueOf(e.getMessage()));
        exception.initCause(e);
        return exception;
    }

    /**
     * {@return what a socket throws}
     *
     * @param code what kind of failure; null: none is known
     * @param sentence what happened
     */
    static IOException of(@Nullable RdmaErrorCode code, String sentence) {
        if (code == null) {
            return new IOException(sentence);
        }
        return switch (code) {
            case CONNECTION_REFUSED, REJECTED, TIMED_OUT, PROTOCOL_MISMATCH, NO_AGREEMENT, CLOSED_BY_PEER ->
                new ConnectException(sentence);
            case UNREACHABLE -> new NoRouteToHostException(sentence);
            case ADDRESS_IN_USE, ADDRESS_NOT_AVAILABLE, PERMISSION_DENIED -> new BindException(sentence);
            default -> new IOException(sentence);
        };
    }

    /** {@return the same exception with the stack of the present caller} */
    static IOException again(IOException first) {
        String sentence = String.valueOf(first.getMessage());
        IOException same = first instanceof ConnectException
                ? new ConnectException(sentence)
                : first instanceof NoRouteToHostException
                        ? new NoRouteToHostException(sentence)
                        : first instanceof BindException ? new BindException(sentence) : new IOException(sentence);
        same.initCause(first);
        return same;
    }
}
