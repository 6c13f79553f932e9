package dev.jwarp.disni;

import dev.jwarp.vectors.Patience;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What the tests share. */
final class Ends {
    private Ends() {}

    /** {@return what it gives, or throws} */
    static <T> T get(Future<T> what) throws Exception {
        try {
            return what.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError("still not done", e);
        }
    }
}
