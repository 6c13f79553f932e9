package dev.jwarp.transport.tcp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The owner of tcp-nio")
@Timeout(60)
class OneOwnerTest {
    private NioShared shared;
    private TcpLoop loop;

    @BeforeEach
    void open() throws IOException {
        shared = new NioShared(TcpSettings.of(Map.of()));
        loop = new TcpLoop(shared);
    }

    @AfterEach
    void close() {
        loop.asOwner(loop::close);
        shared.close();
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    @DisplayName("is one thread at a time: of two that want to be it for a moment the second waits")
    void twoBorrowers() throws InterruptedException {
        AtomicBoolean borrowed = new AtomicBoolean();
        Thread second = new Thread(() -> loop.asOwner(() -> borrowed.set(true)));
        loop.asOwner(() -> {
            second.start();
            await().until(() -> isParked(second) || !second.isAlive());
            assertThat(borrowed).isFalse();
        });
        second.join();
        assertThat(borrowed).isTrue();
    }

    @Test
    @DisplayName("is a thread that wants to be it for a moment before one that polls again and again")
    void borrowersFirst() throws InterruptedException {
        AtomicBoolean borrowed = new AtomicBoolean();
        Thread borrower = new Thread(() -> loop.asOwner(() -> borrowed.set(true)));
        loop.note(() -> {
            borrower.start();
            await().until(() -> isParked(borrower));
        });
        loop.poll();
        loop.poll();
        boolean first = borrowed.get(); // at once: it would not be long without the rule, either
        borrower.join();
        assertThat(first).isTrue();
    }

    @Test
    @DisplayName("may be another thread for a moment: whoever polls then waits, and is not told off")
    void pollerWaits() throws InterruptedException {
        AtomicBoolean polling = new AtomicBoolean();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Thread poller = new Thread(() -> {
            while (!stop.get()) {
                polling.set(true);
                loop.poll();
                polling.set(false);
            }
        });
        poller.setUncaughtExceptionHandler((thread, e) -> thrown.set(e));
        poller.start();
        Runnable untilAsked = () -> {
            while (!polling.get() && poller.isAlive()) {
                Thread.onSpinWait(); // until the poller asks, or is about to
            }
        };
        for (int i = 0; i < 10_000 && poller.isAlive(); i++) {
            loop.asOwner(untilAsked);
            loop.asOwner(() -> {}); // one right behind the other
            loop.asOwner(() -> {});
        }
        stop.set(true);
        poller.join();
        assertThat(thrown.get()).isNull();
    }
}
