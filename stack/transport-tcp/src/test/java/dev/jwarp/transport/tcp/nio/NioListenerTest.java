package dev.jwarp.transport.tcp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A listener of java.nio")
class NioListenerTest {
    /** A channel of a process that has no descriptor left. */
    private static final class Exhausted extends ServerSocketChannel {
        Exhausted() {
            super(java.nio.channels.spi.SelectorProvider.provider());
        }

        final java.util.ArrayDeque<SocketChannel> waiting = new java.util.ArrayDeque<>();

        @Override
        public SocketChannel accept() throws IOException {
            if (waiting.isEmpty()) {
                throw new IOException("Too many open files");
            }
            return waiting.remove();
        }

        @Override
        public ServerSocketChannel bind(SocketAddress local, int backlog) {
            return this;
        }

        @Override
        public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
            return this;
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            return null;
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }

        @Override
        public ServerSocket socket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getLocalAddress() {
            return new InetSocketAddress(1);
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        protected void implConfigureBlocking(boolean block) {}
    }

    private static NioListener newListener(TcpLoop loop, NioShared shared, Exhausted channel) {
        NioAcceptor acceptor = new NioAcceptor(loop, shared, new InetSocketAddress(1), null, 1);
        return new NioListener(loop, shared, channel, acceptor, closed -> {});
    }

    @Test
    @DisplayName("closes a connection, and counts no place for it, when taking it fails")
    void takingFails() throws Exception {
        try (NioShared shared = new NioShared(TcpSettings.of(Map.of()));
                SocketChannel unconnected = SocketChannel.open()) {
            TcpLoop loop = new TcpLoop(shared);
            Exhausted channel = new Exhausted();
            channel.waiting.add(unconnected); // it has no remote address, which nobody expects
            NioListener listener = newListener(loop, shared, channel);
            assertThatThrownBy(() -> listener.onReady(1_000)).isInstanceOf(NullPointerException.class);
            assertThat(unconnected.isOpen()).isFalse();
            assertThat(shared.context.connections()).isZero();
            loop.close();
        }
    }

    @Test
    @DisplayName("rests a little, and counts, when the system has no descriptor left")
    void exhausted() throws Exception {
        try (NioShared shared = new NioShared(TcpSettings.of(Map.of()))) {
            TcpLoop loop = new TcpLoop(shared);
            NioListener listener = newListener(loop, shared, new Exhausted());
            listener.onReady(1_000);
            assertThat(shared.context.counters().get(TcpCounter.ACCEPT_FAILED)).isEqualTo(1);
            assertThat(loop.timers().next()).isEqualTo(1_000 + 100_000_000L);
            loop.close();
        }
    }
}
