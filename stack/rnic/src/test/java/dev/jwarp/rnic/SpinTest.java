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
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("With threaded progress, a thread that waits")
class SpinTest {
    /** Number of clock reads that only a spinning thread reaches. */
    private static final int MANY = 100_000;

    private final AtomicLong looks = new AtomicLong();

    /** Runs a context whose time stands still, with a thread that waits for an async event. */
    private void waiting(String spin, Predicate<Thread> done) throws Exception {
        TransportProvider threads = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("netty"))
                .findFirst()
                .orElseThrow();
        Context context = new RnicProvider()
                .rnic()
                .open(
                        threads.open(Map.of(), null),
                        () -> {
                            looks.incrementAndGet();
                            return 0;
                        },
                        new SplittableRandom(1),
                        Map.of("jwarp.progress.spin", spin));
        Thread waits = new Thread(() -> assertThatThrownBy(() -> context.awaitAsyncEvent(Patience.LIMIT))
                .isInstanceOf(RdmaException.class));
        waits.start();
        Awaitility.await().until(() -> done.test(waits));
        context.close();
        waits.join(Patience.MILLIS);
        assertThat(waits.isAlive()).isFalse();
    }

    @Test
    @DisplayName("sleeps at once unless a setting says otherwise")
    void sleeps() throws Exception {
        waiting("0", thread -> thread.getState() == Thread.State.TIMED_WAITING);
        assertThat(looks.get()).isLessThan(MANY);
    }

    @Test
    @DisplayName("spins for the time of the setting")
    void spins() throws Exception {
        waiting("1", thread -> looks.get() > MANY);
    }
}
