package dev.jwarp.rnic.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.llp.Transport;
import dev.jwarp.vectors.Patience;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
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

    private final AtomicInteger looks = new AtomicInteger();
    private final InlineProgression progression = new InlineProgression(transport, () -> {
        looks.incrementAndGet();
        return 5;
    });

    private final Waitable what = new Waitable() {
        private final Waiters waiters = new Waiters();

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
    @DisplayName("passes an infinite wait to the transport, each time, and reads no clock")
    void forEver() {
        assertThat(progression.await(what, Progression.nanos(Duration.ofDays(100_000))))
                .isTrue();
        assertThat(waits).containsExactly(Long.MAX_VALUE, Long.MAX_VALUE);
        assertThat(looks).hasValue(0);
    }

    @Test
    @DisplayName("passes the timeout of a wait to the transport")
    void limited() {
        assertThat(progression.await(what, 1000)).isTrue();
        assertThat(waits).containsExactly(1000L, 1000L);
    }

    /** A condition that a test controls, which counts its checks. */
    private static final class Thing implements Waitable {
        private final Waiters waiters = new Waiters();
        private final AtomicInteger asked = new AtomicInteger();
        private volatile boolean ready;

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

    /** A transport in which a thread waits until it is woken. */
    private static final class Quiet {
        private final Semaphore wakeups = new Semaphore(0);
        private final AtomicInteger woken = new AtomicInteger();
        private volatile @Nullable Thread inside;

        final Transport transport = (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "await" -> {
                            inside = Thread.currentThread();
                            wakeups.acquireUninterruptibly();
                            inside = null;
                        }
                        case "wakeup" -> {
                            woken.getAndIncrement();
                            wakeups.release();
                        }
                        case "poll" -> {
                            return true;
                        }
                        case "movedHere" -> {
                            return false;
                        }
                        default -> throw new AssertionError(method);
                    }
                    return null;
                });
    }

    /** A thread that waits for its condition, and drives meanwhile. */
    private static final class Driven {
        private final Quiet quiet = new Quiet();
        private final InlineProgression progression;
        private final Thing thing;
        private final Thread driver;

        Driven(LongSupplier clock) {
            progression = new InlineProgression(quiet.transport, clock);
            thing = new Thing();
            driver = waiting(progression, thing);
            await().until(() -> quiet.inside == driver);
        }

        /** Fulfils the condition, and waits for the end of the thread. */
        void end() throws InterruptedException {
            thing.ready = true;
            progression.signal(thing);
            driver.join();
        }
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
    @DisplayName("lets a thread sleep until its own condition is fulfilled, or until it has to drive")
    void followers() throws Exception {
        Driven all = new Driven(System::nanoTime);
        InlineProgression shared = all.progression;
        Quiet quiet = all.quiet;
        Thing second = new Thing();
        Thread follower = waiting(shared, second);
        awaitAsleep(follower);
        Thing third = new Thing();
        Thread other = waiting(shared, third);
        awaitAsleep(other);

        int asked = second.asked.get();
        third.ready = true;
        shared.signal(third);
        other.join();
        assertThat(quiet.inside).isEqualTo(all.driver);
        assertThat(second.asked).hasValue(asked);

        all.end();
        await().until(() -> quiet.inside == follower);

        second.ready = true;
        shared.signal(second);
        follower.join();
    }

    @Test
    @DisplayName("stays with a waiting thread while another thread polls rarely")
    void pollsNowAndThen() throws Exception {
        AtomicLong clock = new AtomicLong();
        Driven all = new Driven(clock::get);
        for (int i = 0; i < 10_000; i++) {
            clock.getAndAdd(10_000);
            assertThat(all.progression.poll()).isFalse();
        }
        assertThat(all.quiet.woken).hasValue(0);
        all.end();
    }

    /** Polls until the waiting thread has left the transport to the caller. */
    private static void takeOver(InlineProgression shared) {
        long end = System.nanoTime() + Patience.LIMIT.toNanos();
        while (!shared.poll()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("another thread drives");
            }
        }
    }

    @Test
    @DisplayName("moves to a spinning thread until that thread stops polling")
    void poller() throws Exception {
        Driven all = new Driven(System::nanoTime);
        InlineProgression shared = all.progression;
        Quiet quiet = all.quiet;
        Thing second = new Thing();
        Thread follower = waiting(shared, second);
        awaitAsleep(follower);

        takeOver(shared);
        all.end();
        await().until(() -> quiet.inside == follower); // the follower slept while there was a driver
        second.ready = true;
        shared.signal(second);
        follower.join();
    }

    @Test
    @DisplayName("stays with the polling thread if that thread then waits")
    void pollerWaits() throws Exception {
        Driven all = new Driven(System::nanoTime);
        InlineProgression shared = all.progression;
        Quiet quiet = all.quiet;
        Thing second = new Thing();
        CountDownLatch took = new CountDownLatch(1);
        Thread poller = new Thread(() -> {
            takeOver(shared);
            took.countDown();
            shared.await(second, Long.MAX_VALUE);
        });
        poller.start();
        took.await();
        all.end();
        await().until(() -> quiet.inside == poller);
        second.ready = true;
        shared.signal(second);
        poller.join();
    }

    @Test
    @DisplayName("moves from a thread that only drives to a spinning thread, too, and back")
    void drives() throws Exception {
        Quiet quiet = new Quiet();
        InlineProgression shared = new InlineProgression(quiet.transport, System::nanoTime);
        AtomicBoolean over = new AtomicBoolean();
        Thread driver = new Thread(() -> {
            while (!over.get()) {
                shared.drive(Long.MAX_VALUE);
            }
        });
        driver.start();
        await().until(() -> quiet.inside == driver);
        takeOver(shared);
        await().until(() -> quiet.inside == driver);
        over.set(true);
        shared.wakeup();
        driver.join();
    }
}
