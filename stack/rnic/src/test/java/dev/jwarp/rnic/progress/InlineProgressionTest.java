package dev.jwarp.rnic.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.ddp.llp.Transport;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
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

    /** Something that is ready when a test says so, and counts how often it was asked. */
    private static final class Thing implements Waitable {
        private final Waiters waiters;
        private final AtomicInteger asked = new AtomicInteger();
        private volatile boolean ready;

        Thing(Progression progression) {
            waiters = progression.newWaiters();
        }

        @Override
        public boolean ready() {
            asked.getAndIncrement();
            return ready;
        }

        @Override
        public Waiters waiters() {
            return waiters;
        }
    }

    /** A transport in which who waits stays until it is woken. */
    private static final class Quiet {
        private final Semaphore wakeups = new Semaphore(0);
        private volatile @Nullable Thread inside;

        final Transport transport = (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "await" -> {
                            inside = Thread.currentThread();
                            wakeups.acquireUninterruptibly();
                            inside = null;
                        }
                        case "wakeup" -> wakeups.release();
                        case "movedHere" -> {
                            return false;
                        }
                        default -> throw new AssertionError(method);
                    }
                    return null;
                });
    }

    private static Thread waiting(Progression progression, Thing thing) {
        Thread thread = new Thread(() -> progression.await(thing, Long.MAX_VALUE));
        thread.start();
        return thread;
    }

    private static void awaitAsleep(Thread thread) {
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    @DisplayName("lets a thread sleep until its own thing is there, or it has to drive")
    void followers() throws Exception {
        Quiet quiet = new Quiet();
        InlineProgression shared = new InlineProgression(quiet.transport, System::nanoTime);
        Thing first = new Thing(shared);
        Thread driver = waiting(shared, first);
        await().until(() -> quiet.inside == driver);
        Thing second = new Thing(shared);
        Thread follower = waiting(shared, second);
        awaitAsleep(follower);
        Thing third = new Thing(shared);
        Thread other = waiting(shared, third);
        awaitAsleep(other);

        int asked = second.asked.get();
        third.ready = true;
        shared.signal(third);
        other.join();
        assertThat(quiet.inside).isEqualTo(driver);
        assertThat(second.asked).hasValue(asked);

        first.ready = true;
        shared.signal(first);
        driver.join();
        await().until(() -> quiet.inside == follower);

        second.ready = true;
        shared.signal(second);
        follower.join();
    }
}
