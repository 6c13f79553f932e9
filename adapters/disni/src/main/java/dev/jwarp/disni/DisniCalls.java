package dev.jwarp.disni;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What DiSNI's calls throw and return where the verbs of jwarp throw. */
final class DisniCalls {
    /** {@code errno} of Linux: something still needs the object. */
    private static final int EBUSY = 16;

    private static final Duration LONG = Duration.ofDays(1);

    /** The time that was last waited for: programs ask for one time again and again. */
    private static Duration usual = Duration.ZERO;

    private DisniCalls() {}

    /** {@return the same as DiSNI throws it, with the sentence of jwarp} */
    static IOException of(RdmaException e) {
        return new IOException(e.getMessage(), e);
    }

    /** Throws unless that is open. */
    static void check(boolean open, String what) throws IOException {
        if (!open) {
            throw new IOException("The " + what + " is closed.");
        }
    }

    /** A call of the verbs of jwarp. */
    @FunctionalInterface
    interface Call<T> {
        T make() throws IOException;
    }

    /** {@return what the call gives; what it throws is thrown as DiSNI throws it} */
    static <T> T call(Call<T> call) throws IOException {
        try {
            return call.make();
        } catch (RdmaException e) {
            throw of(e);
        }
    }

    /** {@return 0; as in libibverbs {@code EBUSY} if another object still needs the object, which stays as it is} */
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
     * {@return what the wait gives; null if it gave nothing in time} An interrupt does not end it, as it does not end {@code poll(2)}, in which DiSNI's threads wait; the thread has its flag afterwards.
     *
     * @param millis negative: as long as it takes
     * @param wait for so long
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
