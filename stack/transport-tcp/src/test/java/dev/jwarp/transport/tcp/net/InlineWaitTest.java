package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.Transport;
import dev.jwarp.transport.tcp.EchoPair;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Waiting on an inline transport")
class InlineWaitTest {
    /** Longer than any test may take: a thread that waits this long was not woken. */
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private EchoPair pair;

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private EchoPair pair(WaitMode mode) {
        pair = new EchoPair(new NioTransportProvider(), Map.of("jwarp.progress.wait", mode.name()));
        return pair;
    }

    /** Runs the echo's side in a thread of its own until the test is over. */
    private Thread serve() {
        Thread server = new Thread(() -> {
            while (!pair.isOver()) {
                pair.server.await(TimeUnit.MILLISECONDS.toNanos(100));
            }
        });
        server.start();
        return server;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("returns as soon as there is input")
    void answers(WaitMode mode) throws Exception {
        pair(mode).connect();
        Thread server = serve();
        for (int i = 1; i <= 200; i++) {
            pair.send(64);
            while (pair.received() < i) {
                pair.client.await(Long.MAX_VALUE);
            }
        }
        pair.over();
        server.join();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends at its time limit")
    void endsInTime(WaitMode mode) {
        pair(mode).connect();
        for (int i = 0; i < 10; i++) {
            pair.client.await(TimeUnit.MILLISECONDS.toNanos(1));
        }
        assertThat(pair.received()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends when another thread calls wakeup")
    void wakeup(WaitMode mode) throws Exception {
        pair(mode).connect();
        AtomicBoolean done = new AtomicBoolean();
        Thread waiter = new Thread(() -> {
            pair.client.await(LONG);
            done.set(true);
        });
        waiter.start();
        await().until(() -> {
            pair.client.wakeup();
            return done.get();
        });
        waiter.join();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends when another thread rings a doorbell")
    void doorbell(WaitMode mode) throws Exception {
        pair(mode).connect();
        Thread server = serve();
        CountDownLatch waiting = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            waiting.countDown();
            while (pair.received() < 1) {
                pair.client.await(Long.MAX_VALUE);
            }
        });
        waiter.start();
        waiting.await();
        pair.send(64); // rings
        waiter.join();
        pair.over();
        server.join();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("keeps the timers of engines and of layers above")
    void timers(WaitMode mode) {
        pair(mode).connect();
        pair.clientUpper.wantTimeout(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20));
        pair.send(1);
        await().pollInSameThread().until(() -> {
            pair.client.await(LONG);
            return pair.clientUpper.timedOut();
        });
    }

    @Test
    @DisplayName("is for one thread at a time")
    void oneThread() throws Exception {
        pair(WaitMode.SELECT).connect();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            while (thrown.get() == null) {
                try {
                    pair.client.await(LONG);
                } catch (IllegalStateException e) {
                    // The other thread is in its poll just now.
                }
            }
        });
        waiter.start();
        await().until(() -> {
            try {
                pair.client.poll();
            } catch (IllegalStateException e) {
                thrown.set(e);
            }
            return thrown.get() != null;
        });
        assertThat(thrown.get()).hasMessageContaining("one");
        pair.client.wakeup();
        waiter.join();
    }

    @Test
    @DisplayName("may be called from within a callback, and does nothing then")
    void fromWithinCallback() {
        pair(WaitMode.SELECT).connect();
        AtomicBoolean polled = new AtomicBoolean(true);
        pair.connection().execute(() -> {
            polled.set(pair.client.poll());
            pair.client.await(LONG);
        });
        pair.client.poll();
        assertThat(polled).isFalse();
    }

    @Test
    @DisplayName("ends when another thread closes the transport")
    void closeWhileWaiting() throws Exception {
        pair(WaitMode.SELECT).connect();
        Thread waiter = new Thread(() -> pair.client.await(LONG));
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.RUNNABLE);
        pair.client.close();
        waiter.join();
        assertThat(pair.client.poll()).isFalse();
    }

    @Test
    @DisplayName("closed from within a callback, ends with that call")
    void closeFromWithin() {
        pair(WaitMode.SELECT).connect();
        Transport client = pair.client;
        pair.connection().execute(client::close);
        client.poll();
        assertThat(pair.clientUpper.isClosed()).isTrue();
        assertThatThrownBy(() -> client.listen(new java.net.InetSocketAddress(0), 1, null))
                .hasMessageContaining("closed");
    }

    @Test
    @DisplayName("in a blocking read, still serves a second connection and its doorbells")
    void blockWithTwo() throws Exception {
        pair(WaitMode.BLOCK).connect();
        Thread server = serve();
        for (int i = 1; i <= 20; i++) { // the client waits in blocking reads by now
            pair.send(64);
            while (pair.received() < i) {
                pair.client.await(Long.MAX_VALUE);
            }
        }
        EchoPair.Upper second = pair.connectSecond();
        while (second.received() < 1) {
            pair.client.await(Long.MAX_VALUE);
        }
        pair.send(100_000 - 40_000); // more than a blocking write may take
        while (pair.received() < 21) {
            pair.client.await(Long.MAX_VALUE);
        }
        pair.over();
        server.join();
    }

    @Test
    @DisplayName("a transport that is closed by another thread ends its blocking read")
    void closeWhileBlocked() throws Exception {
        pair(WaitMode.BLOCK).connect();
        Thread server = serve();
        AtomicBoolean blocked = new AtomicBoolean();
        Thread waiter = new Thread(() -> {
            pair.connectAgain(); // this thread is the only one that uses the transport
            for (int i = 1; i <= 20; i++) {
                pair.send(64);
                while (pair.received() < i) {
                    pair.client.await(Long.MAX_VALUE);
                }
            }
            blocked.set(true);
            pair.client.await(Long.MAX_VALUE);
        });
        waiter.start();
        await().until(blocked::get);
        pair.client.close();
        waiter.join();
        pair.over();
        server.join();
    }
}
