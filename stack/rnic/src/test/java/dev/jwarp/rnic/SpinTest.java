package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("With threaded progress, a thread that waits")
class SpinTest {
    /** Reads of the clock during a spin of 100 microseconds. A thread that sleeps makes fewer. */
    private static final int MANY = 100_000;

    /** The time of the context: each read takes a nanosecond. */
    private final AtomicLong looks = new AtomicLong();

    /** A thread waits for an async event of a context until the thread sleeps. */
    private void waitUntilAsleep(Map<String, String> settings) throws Exception {
        TransportProvider threads = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("netty"))
                .findFirst()
                .orElseThrow();
        Context context = new RnicProvider()
                .rnic()
                .open(threads.open(Map.of(), null), looks::incrementAndGet, new SplittableRandom(1), settings);
        Thread waits = new Thread(() -> assertThatThrownBy(() -> context.awaitAsyncEvent(Patience.LIMIT))
                .isInstanceOf(RdmaException.class));
        waits.start();
        Awaitility.await().until(() -> waits.getState() == Thread.State.TIMED_WAITING);
        context.close();
        waits.join(Patience.MILLIS);
        assertThat(waits.isAlive()).isFalse();
    }

    @Test
    @DisplayName("sleeps at once unless a setting says otherwise")
    void sleeps() throws Exception {
        waitUntilAsleep(Map.of());
        assertThat(looks.get()).isLessThan(MANY);
    }

    @Test
    @DisplayName("spins for the time of the setting")
    void spins() throws Exception {
        waitUntilAsleep(Map.of("jwarp.progress.spin", "100"));
        assertThat(looks.get()).isBetween((long) MANY, 2L * MANY);
    }
}
