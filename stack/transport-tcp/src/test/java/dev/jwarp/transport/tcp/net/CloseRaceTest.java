package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.Loop;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.transport.tcp.TcpSettings;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Work that arrives at tcp-nio during its close")
class CloseRaceTest {
    /** Never called: no connection gets so far. */
    private static final UpperLayer NOTHING = (UpperLayer) Proxy.newProxyInstance(
            CloseRaceTest.class.getClassLoader(), new Class<?>[] {UpperLayer.class}, (proxy, method, arguments) -> {
                throw new AssertionError(method);
            });

    private final AtomicInteger failed = new AtomicInteger();
    private final ConnectionHandler handler = new IdleHandler() {
        @Override
        public void onFailed(LlpConnection connection, LlpFailure failure, String sentence) {
            failed.incrementAndGet();
        }
    };

    @Test
    @DisplayName("runs: a note left during the close, and one left after it")
    void notes() throws Exception {
        Loop loop = new TcpRig(Map.of()).loop;
        AtomicInteger done = new AtomicInteger();
        loop.asOwner(() -> {
            loop.close();
            loop.note(done::incrementAndGet);
        });
        assertThat(done).hasValue(1);
        loop.note(done::incrementAndGet);
        assertThat(done).hasValue(2);
    }

    @Test
    @DisplayName("does not wait: a task that arrives during a late note runs after it")
    void lateNotes() throws Exception {
        Loop loop = new TcpRig(Map.of()).loop;
        loop.asOwner(loop::close);
        AtomicReference<@Nullable Thread> doneBy = new AtomicReference<>();
        Thread other = new Thread(() -> loop.note(() -> doneBy.set(Thread.currentThread())));
        loop.note(() -> {
            other.start();
            await().until(() -> !other.isAlive());
            assertThat(doneBy).hasNullValue();
        });
        assertThat(doneBy).hasValue(Thread.currentThread());
    }

    @Test
    @DisplayName(
            "may be a step of the polling thread, which closes the transport for the other thread and ends its step")
    void withinStep() throws Exception {
        for (String wait : new String[] {"select", "spin", "block"}) {
            Loop loop = new TcpRig(Map.of("jwarp.progress.wait", wait)).loop;
            AtomicReference<@Nullable Thread> closedBy = new AtomicReference<>();
            Thread closing = new Thread(() -> loop.asOwner(() -> {
                closedBy.set(Thread.currentThread());
                loop.close();
            }));
            loop.note(() -> {
                closing.start();
                await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
            });
            loop.poll();
            closing.join();
            assertThat(closedBy).hasValue(Thread.currentThread());
            assertThat(loop.poll()).isFalse();
        }
    }

    @Test
    @DisplayName("fails, if it is a connect, so no connect stays without a result")
    void connects() throws Exception {
        InetSocketAddress unused = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        StartParameters offer = new StartParameters(1, 1, new byte[0]);
        for (int round = 0; round < 200; round++) {
            TcpTransport transport = NioTransportProvider.open(TcpSettings.of(Map.of()), null);
            failed.set(0);
            AtomicInteger connects = new AtomicInteger();
            Thread connecting = new Thread(() -> {
                try {
                    while (connects.get() < 1000) {
                        transport.connect(unused, null, offer, Long.MAX_VALUE / 2, NOTHING, handler);
                        connects.incrementAndGet();
                    }
                } catch (LlpException e) {
                    assertThat(e).hasMessageContaining("closed");
                }
            });
            connecting.start();
            while (connects.get() < 3 && connecting.isAlive()) {
                Thread.onSpinWait();
            }
            transport.close();
            connecting.join();
            assertThat(failed).as("of " + connects + " connects").hasValue(connects.get());
            assertThat(transport.connections()).isZero();
        }
    }
}
