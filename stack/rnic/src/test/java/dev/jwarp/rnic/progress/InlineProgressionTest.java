package dev.jwarp.rnic.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.Transport;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Inline progress")
class InlineProgressionTest {
    private final List<Long> waits = new ArrayList<>();
    private boolean ready;

    private final Transport transport = (Transport) Proxy.newProxyInstance(
            Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("await")) {
                    waits.add((Long) arguments[0]);
                    ready = waits.size() == 2;
                    return null;
                }
                if (method.getName().equals("movedHere")) {
                    return false;
                }
                throw new AssertionError(method);
            });

    private final InlineProgression progression = new InlineProgression(transport, () -> 5);

    private final Waitable what = new Waitable() {
        private final Waiters waiters = progression.newWaiters();

        @Override
        public boolean ready() {
            return ready;
        }

        @Override
        public Waiters waiters() {
            return waiters;
        }
    };

    @Test
    @DisplayName("tells the transport that a wait for ever is for ever, each time")
    void forEver() {
        assertThat(progression.await(what, Progression.nanos(Duration.ofDays(100_000))))
                .isTrue();
        assertThat(waits).containsExactly(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    @Test
    @DisplayName("tells the transport how long a wait may be")
    void limited() {
        assertThat(progression.await(what, 1000)).isTrue();
        assertThat(waits).containsExactly(1000L, 1000L);
    }
}
