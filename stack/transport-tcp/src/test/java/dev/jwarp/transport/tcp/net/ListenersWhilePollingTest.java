package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("tcp-nio, polled by another thread")
class ListenersWhilePollingTest {
    private static final ConnectionHandler NOBODY = new IdleHandler();

    @ParameterizedTest
    @ValueSource(strings = {"select", "spin"})
    @DisplayName("opens and closes listeners, and is closed, without the poller noticing")
    void close(String wait) throws InterruptedException {
        Transport transport = new NioTransportProvider().open(Map.of("jwarp.progress.wait", wait));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Thread poller = new Thread(() -> {
            try {
                while (!stop.get()) {
                    transport.poll();
                    transport.await(1000);
                }
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        poller.start();
        Thread[] others = new Thread[3]; // one after the other without a gap, too
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(() -> {
                for (int j = 0; j < 100 && poller.isAlive(); j++) {
                    transport
                            .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, NOBODY)
                            .close();
                }
            });
            others[i].start();
        }
        for (Thread other : others) {
            other.join();
        }
        transport.close();
        stop.set(true);
        poller.join();
        assertThat(thrown.get()).isNull();
    }
}
