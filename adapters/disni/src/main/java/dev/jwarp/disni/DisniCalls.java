package dev.jwarp.disni;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Maps exceptions of jwarp's verbs to the exceptions and return values of DiSNI's calls. */
final class DisniCalls {
    /** Linux's {@code errno} for an object that is still in use. */
    private static final int EBUSY = 16;

    private static final Duration LONG = Duration.ofDays(1);

    /** The last timeout, cached: programs use the same timeout again and again. */
    private static Duration usual = Duration.ZERO;

    private DisniCalls() {}

    /** {@return the exception that DiSNI throws, with the message of jwarp} */
    static IOException of(RdmaException e) {
        return new IOException(e.getMessage(), e);
    }

    /** Throws unless the object is open. */
    static void check(boolean open, String what) throws IOException {
        if (!open) {
            throw new IOException("The " + what + " is closed.");
        }
    }

    /** A call of jwarp's verbs. */
    @FunctionalInterface
    interface Call<T> {
        T make() throws IOException;
    }

    /** {@return the result of the call} Exceptions of jwarp are thrown as those of DiSNI. */
    static <T> T call(Call<T> call) throws IOException {
        try {
            return call.make();
        } catch (RdmaException e) {
            throw of(e);
        }
    }

    /** {@return 0; {@code EBUSY}, as in libibverbs, if the object is still in use; then it stays open} */
    static int destroy(Runnable close) throws IOException {
        try {
            close.run();
            return 0;
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.RESOURCE_BUSY) {
                return EBUSY;
            }
            throw of(e);
        }
    }

    /**
     * {@return the result of the wait; null after the timeout} As with {@code poll(2)}, in which DiSNI's threads wait,
     * an interrupt does not end the wait; afterwards the thread's interrupt flag is set.
     *
     * @param millis the timeout; negative for none
     * @param wait waits for the given time
     */
    static <T> @Nullable T await(int millis, Function<Duration, @Nullable T> wait) throws IOException {
        long end = System.nanoTime() + millis * 1_000_000L;
        Duration left = millis < 0 ? LONG : usual(millis);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    @Nullable T there = wait.apply(left);
                    if (there != null || millis >= 0) {
                        return there;
                    }
                } catch (RdmaException e) {
                    if (e.code() != RdmaErrorCode.INTERRUPTED) {
                        throw of(e);
                    }
                    interrupted |= Thread.interrupted();
                    left = millis < 0 ? LONG : Duration.ofNanos(Math.max(0, end - System.nanoTime()));
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Duration usual(int millis) {
        Duration same = usual;
        if (same.toMillis() != millis) {
            same = Duration.ofMillis(millis);
            usual = same;
        }
        return same;
    }
}
