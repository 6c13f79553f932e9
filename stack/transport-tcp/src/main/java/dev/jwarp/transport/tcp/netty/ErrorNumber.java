package dev.jwarp.transport.tcp.netty;

import dev.jwarp.llp.LinuxError;
import dev.jwarp.llp.LlpFailure;
import io.netty.channel.unix.Errors.NativeIoException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@link LinuxError} number of a failed connect or bind of Netty, and its meaning. */
final class ErrorNumber {
    /** Netty has the number of a failed connect only in its message, which is the same in every language. */
    private static final Pattern IN_SENTENCE = Pattern.compile("failed with error\\(-([0-9]{1,4})\\)");

    private ErrorNumber() {}

    /** {@return the kind of a failed connect or bind} */
    static LlpFailure meaning(Throwable cause) {
        return LinuxError.ofConnect(of(cause), LlpFailure.LOCAL);
    }

    /**
     * {@return whether an established connection was lost because the peer no longer answers, or there is no route to
     * it}
     */
    static boolean timedOut(NativeIoException cause) {
        return switch (Math.abs(cause.expectedErr())) {
            case LinuxError.ETIMEDOUT, LinuxError.EHOSTDOWN, LinuxError.EHOSTUNREACH, LinuxError.ENETUNREACH -> true;
            default -> false;
        };
    }

    /** {@return the number; 0 if there is none} */
    private static int of(Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof NativeIoException known) {
                return Math.abs(known.expectedErr());
            }
            if (at instanceof NoRouteToHostException) {
                return LinuxError.EHOSTUNREACH;
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
