package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A provider with a context of its own")
class JwarpSelectorProviderTest {
    /** Several threads use the context, although the settings of the process may be for one. */
    private final JwarpSelectorProvider provider =
            new JwarpSelectorProvider(Map.of("jwarp.mpa.markers", "on", "jwarp.threads", "single"));

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        provider.close();
        threads.shutdownNow();
    }

    private ServerSocketChannel listener(JwarpSelectorProvider of) throws IOException {
        return of.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @Test
    @DisplayName("closes its channels and selectors, and ends the waits of their threads")
    void closesAll() throws Exception {
        ServerSocketChannel listener = listener(provider);
        SocketChannel client = provider.openSocketChannel();
        client.connect(listener.getLocalAddress());
        SocketChannel server = listener.accept();
        Selector selector = provider.openSelector();
        Selector mixed = provider.openSelector();
        ServerSocketChannel plain = ServerSocketChannel.open().bind(new InetSocketAddress(0));
        plain.configureBlocking(false);
        plain.register(mixed, SelectionKey.OP_ACCEPT);
        Thread[] waiting = new Thread[4];
        Future<?> accepts = threads.submit(() -> {
            waiting[0] = Thread.currentThread();
            return listener.accept();
        });
        Future<Integer> reads = threads.submit(() -> {
            waiting[1] = Thread.currentThread();
            return server.read(ByteBuffer.allocate(1));
        });
        Future<?> selects = threads.submit(() -> {
            waiting[2] = Thread.currentThread();
            return selector.select();
        });
        Future<?> selectsBoth = threads.submit(() -> {
            waiting[3] = Thread.currentThread();
            return mixed.select();
        });
        for (int i = 0; i < waiting.length; i++) {
            int which = i;
            await().until(() -> waiting[which] != null && waiting[which].getState() != Thread.State.NEW);
        }

        provider.close();

        assertThatThrownBy(() -> Patience.get(accepts)).isInstanceOf(ClosedChannelException.class);
        try {
            assertThat(Patience.get(reads))
                    .as("the read after the other end was closed first")
                    .isEqualTo(-1);
        } catch (ClosedChannelException e) {
            assertThat(server.isOpen()).isFalse();
        }
        for (Future<?> selection : new Future<?>[] {selects, selectsBoth}) {
            try {
                Patience.get(selection);
            } catch (ClosedSelectorException e) {
                assertThat(selection.isDone()).isTrue(); // it had not begun
            }
        }
        assertThat(listener.isOpen() || client.isOpen() || server.isOpen()).isFalse();
        assertThat(selector.isOpen() || mixed.isOpen()).isFalse();
        plain.close();
    }

    @Test
    @DisplayName("has selectors for its own channels only")
    void others() throws IOException {
        try (JwarpSelectorProvider other = new JwarpSelectorProvider(Map.of());
                Selector selector = other.openSelector()) {
            SocketChannel channel = provider.openSocketChannel();
            channel.configureBlocking(false);
            assertThatThrownBy(() -> channel.register(selector, SelectionKey.OP_CONNECT))
                    .isInstanceOf(IllegalSelectorException.class);
        }
    }

    @Test
    @DisplayName("accepts known settings only")
    void settings() {
        assertThatThrownBy(() -> new JwarpSelectorProvider(Map.of("jwarp.no.such", "1")))
                .isInstanceOf(RdmaException.class);
    }

    @Test
    @DisplayName("has a selector with channels of both kinds, whose thread is woken by either at once")
    void mixed() throws Exception {
        ServerSocketChannel listener = listener(provider);
        try (Selector selector = provider.openSelector();
                ServerSocketChannel plainListener = ServerSocketChannel.open()) {
            plainListener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel plain = SocketChannel.open(plainListener.getLocalAddress());
            SocketChannel plainPeer = plainListener.accept();
            SocketChannel rdma = provider.openSocketChannel();
            rdma.connect(listener.getLocalAddress());
            SocketChannel rdmaPeer = listener.accept();
            for (SocketChannel channel : new SocketChannel[] {plainPeer, rdmaPeer}) {
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
            }
            Future<?> echo = threads.submit(() -> {
                ByteBuffer some = ByteBuffer.allocate(10);
                while (selector.isOpen()) {
                    selector.select(key -> echo((SocketChannel) key.channel(), some));
                }
                return null;
            });
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < 2000; i++) {
                SocketChannel channel = i % 3 == 0 ? plain : rdma;
                channel.write(one.clear());
                assertThat(channel.read(one.clear())).isOne();
            }
            selector.close();
            try {
                Patience.get(echo);
            } catch (ClosedSelectorException e) {
                assertThat(selector.isOpen()).isFalse();
            }
            plain.close();
            plainPeer.close();
        }
    }

    private static void echo(SocketChannel channel, ByteBuffer some) {
        try {
            channel.read(some.clear());
            channel.write(some.flip());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
