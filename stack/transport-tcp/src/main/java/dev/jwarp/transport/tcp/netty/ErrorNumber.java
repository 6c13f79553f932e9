package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.LlpFailure;
import io.netty.channel.unix.Errors.NativeIoException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What it means that Linux refuses to connect or to bind, by the number of its error: the words are in the user's language. */
final class ErrorNumber {
    // Linux, include/uapi/asm-generic: errno-base.h, errno.h.
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int EACCES = 13;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETUNREACH = 101;
    private static final int ECONNRESET = 104;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;
    private static final int EHOSTDOWN = 112;
    private static final int EHOSTUNREACH = 113;

    /** Netty keeps the number of a failed connect in its own sentence only, which is the same in every language. */
    private static final Pattern IN_SENTENCE = Pattern.compile("failed with error\\(-([0-9]{1,4})\\)");

    private ErrorNumber() {}

    /** {@return the kind of a failed connect or bind} */
    static LlpFailure meaning(Throwable cause) {
        return switch (of(cause)) {
            case ECONNREFUSED -> LlpFailure.REFUSED;
            case ETIMEDOUT -> LlpFailure.TIMED_OUT;
            case ENETUNREACH, EHOSTUNREACH, EHOSTDOWN -> LlpFailure.UNREACHABLE;
            case ECONNRESET -> LlpFailure.CLOSED_BY_PEER;
            case EADDRINUSE -> LlpFailure.ADDRESS_IN_USE;
            case EADDRNOTAVAIL -> LlpFailure.ADDRESS_NOT_AVAILABLE;
            case EACCES -> LlpFailure.PERMISSION_DENIED;
            case EMFILE, ENFILE -> LlpFailure.LIMIT_REACHED;
            default -> LlpFailure.LOCAL;
        };
    }

    /** {@return the number; 0 if there is none} */
    private static int of(Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof NativeIoException known) {
                return Math.abs(known.expectedErr());
            }
            if (at instanceof NoRouteToHostException) {
                return EHOSTUNREACH;
            }
            if (at instanceof ConnectException) {
                Matcher number = IN_SENTENCE.matcher(String.valueOf(at.getMessage()));
                if (number.find()) {
                    return Integer.parseInt(number.group(1));
                }
            }
        }
        return 0;
    }
}
