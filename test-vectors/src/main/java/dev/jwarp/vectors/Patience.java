package dev.jwarp.vectors;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long a test waits for what must come. Only a test that fails waits so long; a machine that gives a thread no time for
 * seconds makes none fail. JUnit's limit of a test is longer (junit-platform.properties), so the wait fails first, and says for what.
 */
public final class Patience {
    /** The limit of one wait. Awaitility has it by default. */
    public static final Duration LIMIT = Duration.ofMinutes(3);

    /** The same in nanoseconds. */
    public static final long NANOS = LIMIT.toNanos();

    /** The same in milliseconds. */
    public static final long MILLIS = LIMIT.toMillis();

    /** The same in seconds. */
    public static final long SECONDS = LIMIT.toSeconds();

    /** Settings of a TCP transport whose own limits are no shorter. For time that is real: a simulated network has its own. */
    public static final Map<String, String> OF_TCP = Map.of(
            "jwarp.tcp.request-timeout", Long.toString(MILLIS),
            "jwarp.tcp.accept-timeout", Long.toString(MILLIS),
            "jwarp.tcp.linger", Long.toString(MILLIS));

    /** The same for a context that has connections. */
    public static final Map<String, String> OF_CONNECTIONS =
            with(OF_TCP, Map.of("jwarp.cm.connect-timeout", Long.toString(MILLIS)));

    private Patience() {}

    /** {@return what it gives, or throws, within the limit} */
    public static <T> T get(Future<T> what) throws Exception {
        try {
            return what.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError("still not done", e);
        }
    }

    /** {@return all of these settings; {@code more} has its way where both have one} */
    public static Map<String, String> with(Map<String, String> patient, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(patient);
        all.putAll(more);
        return Map.copyOf(all);
    }
}
