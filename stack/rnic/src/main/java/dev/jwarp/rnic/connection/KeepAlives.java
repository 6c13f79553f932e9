package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.KeepAlive;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The keep-alive that a program wants for a connection, as the lower layer has it. */
final class KeepAlives {
    private KeepAlives() {}

    /** {@return null where the transport's settings are to hold} */
    static @Nullable KeepAliveTimes of(ConnectionParameters parameters) {
        KeepAlive wanted = parameters.keepAlive();
        if (wanted == null) {
            return null;
        }
        if (wanted.equals(KeepAlive.OFF)) {
            return KeepAliveTimes.OFF;
        }
        if (wanted.probes() < 1 || wanted.probes() > KeepAliveTimes.MOST_PROBES) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A keep-alive has 1 to " + KeepAliveTimes.MOST_PROBES + " probes, not " + wanted.probes()
                            + ". KeepAlive.OFF is without any.");
        }
        return new KeepAliveTimes(
                true, seconds("idle time", wanted.idle()), seconds("interval", wanted.interval()), wanted.probes());
    }

    private static int seconds(String what, Duration wanted) {
        if (wanted.isZero()
                || wanted.isNegative()
                || wanted.compareTo(Duration.ofSeconds(KeepAliveTimes.MOST_SECONDS)) > 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The " + what + " of a keep-alive is more than 0 and at most " + KeepAliveTimes.MOST_SECONDS
                            + " seconds, not " + wanted + ".");
        }
        return (int) wanted.plusNanos(999_999_999L).toSeconds();
    }
}
