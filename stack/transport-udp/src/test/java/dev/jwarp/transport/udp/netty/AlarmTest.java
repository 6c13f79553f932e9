package dev.jwarp.transport.udp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The timer of a port on the event loop")
class AlarmTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    private final AtomicInteger rung = new AtomicInteger();
    private final Alarm alarm = new Alarm(executor, rung::incrementAndGet);

    AlarmTest() {
        executor.setRemoveOnCancelPolicy(true);
    }

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    @Test
    @DisplayName("is one, however often it is set to an earlier time")
    void overtaken() {
        for (int i = 60; i > 0; i--) {
            alarm.noLaterThan(i * MINUTE, 0);
        }
        assertThat(executor.getQueue()).hasSize(1);
        alarm.noLaterThan(2 * MINUTE, 0);
        alarm.noLaterThan(Long.MAX_VALUE, 0);
        assertThat(executor.getQueue()).hasSize(1);
        alarm.cancel();
        assertThat(executor.getQueue()).isEmpty();
    }

    @Test
    @DisplayName("rings at the earliest time, also one that has passed, and can be set again")
    void rings() {
        executor.execute(
                () -> { // it is the event loop's alone
                    alarm.noLaterThan(MINUTE, 0);
                    alarm.noLaterThan(-5, 0);
                });
        await().untilAsserted(() -> assertThat(rung).hasValue(1));
        assertThat(executor.getQueue()).isEmpty();
        executor.execute(() -> alarm.noLaterThan(MINUTE, 0));
        await().untilAsserted(() -> assertThat(executor.getQueue()).hasSize(1));
    }
}
