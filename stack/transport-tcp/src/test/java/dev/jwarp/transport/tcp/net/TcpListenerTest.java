package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.transport.tcp.TcpCounter;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A listener")
class TcpListenerTest {
    /** The listening socket of a process that has no descriptor left. */
    private static final class Exhausted implements StreamSocket.Listening {
        final ArrayDeque<StreamSocket> waiting = new ArrayDeque<>();

        @Override
        public InetSocketAddress localAddress() {
            return new InetSocketAddress(1);
        }

        @Override
        public StreamSocket accept() throws IOException {
            if (waiting.isEmpty()) {
                throw new IOException("Too many open files");
            }
            return waiting.remove();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) {
            throw new AssertionError("nothing is ready");
        }

        @Override
        public void close() {}
    }

    private static TcpListener newListener(TcpRig rig, Exhausted socket) {
        Acceptor acceptor = new Acceptor(rig.owner, new InetSocketAddress(1), null, 1);
        return new TcpListener(rig.owner, socket, List.of(acceptor), true, closed -> {});
    }

    @Test
    @DisplayName("closes a connection, and does not count it, if accepting it fails")
    void takingFails() throws Exception {
        try (TcpRig rig = new TcpRig(Map.of())) {
            List<String> called = new ArrayList<>();
            Exhausted socket = new Exhausted();
            socket.waiting.add((StreamSocket) Proxy.newProxyInstance(
                    StreamSocket.class.getClassLoader(), new Class<?>[] {StreamSocket.class}, (proxy, method, with) -> {
                        called.add(method.getName());
                        if (method.getName().equals("remoteAddress")) {
                            throw new IllegalStateException("as if");
                        }
                        return null;
                    }));
            TcpListener listener = newListener(rig, socket);
            assertThatThrownBy(() -> listener.onReady(SelectionKey.OP_ACCEPT, 1_000))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(called).containsExactly("remoteAddress", "refuse");
            assertThat(rig.context.connections()).isZero();
        }
    }

    @Test
    @DisplayName("pauses, and counts, when the system has no free descriptor")
    void exhausted() throws Exception {
        try (TcpRig rig = new TcpRig(Map.of())) {
            TcpListener listener = newListener(rig, new Exhausted());
            listener.onReady(SelectionKey.OP_ACCEPT, 1_000);
            assertThat(rig.context.counters().get(TcpCounter.ACCEPT_FAILED)).isEqualTo(1);
            assertThat(rig.loop.timers().next()).isEqualTo(1_000 + 100_000_000L);
        }
    }
}
