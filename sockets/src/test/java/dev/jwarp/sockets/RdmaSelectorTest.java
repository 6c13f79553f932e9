package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A Selector of RDMA channels")
class RdmaSelectorTest {
    private Ends ends;

    @BeforeEach
    void open() throws IOException {
        ends = new Ends();
    }

    @AfterEach
    void close() {
        ends.close();
    }

    /** A server that echoes all bytes until {@code enough} is set. */
    private void echo(Selector selector, AtomicBoolean enough) throws IOException {
        ends.listener.configureBlocking(false);
        ends.listener.register(selector, SelectionKey.OP_ACCEPT);
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        while (!enough.get()) {
            selector.select();
            for (Iterator<SelectionKey> each = selector.selectedKeys().iterator(); each.hasNext(); ) {
                SelectionKey key = each.next();
                each.remove();
                if (key.isAcceptable()) {
                    SocketChannel came = ends.listener.accept();
                    if (came != null) {
                        came.configureBlocking(false);
                        came.register(selector, SelectionKey.OP_READ);
                    }
                } else {
                    echo(key, buffer);
                }
            }
        }
    }

    private static void echo(SelectionKey key, ByteBuffer buffer) throws IOException {
        SocketChannel channel = (SocketChannel) key.channel();
        ByteBuffer left = (ByteBuffer) key.attachment();
        if (left == null) {
            buffer.clear();
            if (channel.read(buffer) < 0) {
                channel.close();
                return;
            }
            left = buffer.flip();
        }
        channel.write(left);
        if (left.hasRemaining()) {
            key.attach(ByteBuffer.allocate(left.remaining()).put(left).flip());
            key.interestOps(SelectionKey.OP_WRITE);
        } else {
            key.attach(null);
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    @Test
    @DisplayName("serves many channels from one thread")
    void many() throws Exception {
        int clients = Whole.or(20, 50);
        try (Selector selector = ends.listening.openSelector()) {
            AtomicBoolean enough = new AtomicBoolean();
            Future<?> server = ends.run(() -> {
                echo(selector, enough);
                return null;
            });
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(ends.run(this::client));
            }
            for (Future<Integer> one : all) {
                assertThat(Patience.get(one)).isEqualTo(100);
            }
            enough.set(true);
            selector.wakeup();
            Patience.get(server);
        }
    }

    /** Sends messages of all lengths and gets them back. Returns their number. */
    private int client() throws IOException {
        try (SocketChannel channel = ends.connect()) {
            int count = 0;
            for (int i = 0; i < 100; i++) {
                ByteBuffer there = ByteBuffer.allocate(1 + i * 300);
                for (int b = 0; b < there.capacity(); b++) {
                    there.put(b, (byte) (b + i));
                }
                channel.write(there);
                ByteBuffer back = ByteBuffer.allocate(there.capacity());
                while (back.hasRemaining() && channel.read(back) >= 0) {}
                assertThat(back.flip()).isEqualTo(there.flip());
                count++;
            }
            return count;
        }
    }

    @Test
    @DisplayName("reports when a channel is connected or has failed to connect")
    void connects() throws Exception {
        try (Selector selector = ends.connecting.openSelector();
                SocketChannel near = ends.connecting.openSocketChannel();
                HeldPort silent = new HeldPort()) {
            near.configureBlocking(false);
            SelectionKey key = near.register(selector, SelectionKey.OP_CONNECT);
            Future<SocketChannel> accepted = ends.run(() -> ends.listener.accept());
            if (!near.connect(ends.address())) {
                assertThat(selector.select()).isEqualTo(1);
                assertThat(key.isConnectable()).isTrue();
                assertThat(near.finishConnect()).isTrue();
            }
            key.interestOps(SelectionKey.OP_WRITE);
            selector.selectedKeys().clear();
            assertThat(selector.select()).isEqualTo(1);
            assertThat(key.isWritable()).isTrue();
            Patience.get(accepted).close();
            SocketChannel never = ends.connecting.openSocketChannel();
            never.configureBlocking(false);
            SelectionKey other = never.register(selector, SelectionKey.OP_CONNECT);
            try {
                never.connect(silent.address());
                while (!selector.selectedKeys().contains(other)) {
                    selector.select();
                }
                assertThatThrownBy(never::finishConnect).isInstanceOf(ConnectException.class);
            } catch (ConnectException e) {
                assertThat(e).hasMessageContaining("refused"); // at once
            }
            assertThat(never.isOpen()).isFalse();
        }
    }

    @Test
    @DisplayName("selects a channel again as long as it is ready")
    void level() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept();
                Selector selector = ends.listening.openSelector()) {
            far.configureBlocking(false);
            SelectionKey key = far.register(selector, SelectionKey.OP_READ);
            assertThat(selector.selectNow()).isZero();
            near.write(ByteBuffer.allocate(10));
            assertThat(selector.select()).isEqualTo(1);
            assertThat(selector.select()).isZero(); // the key is in the set already, with the same operations
            selector.selectedKeys().clear();
            far.read(ByteBuffer.allocate(4));
            assertThat(selector.select()).isEqualTo(1);
            selector.selectedKeys().clear();
            far.read(ByteBuffer.allocate(6));
            assertThat(selector.select(20)).isZero();
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            assertThat(selector.select(k -> assertThat(k.readyOps()).isEqualTo(SelectionKey.OP_WRITE)))
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("is woken up in the current or the next call")
    void woken() throws Exception {
        try (Selector selector = ends.connecting.openSelector()) {
            selector.wakeup();
            assertThat(selector.select()).isZero();
            Future<Integer> select = ends.run(() -> selector.select());
            selector.wakeup();
            assertThat(Patience.get(select)).isZero();
        }
    }

    @Test
    @DisplayName("removes cancelled keys and closed channels")
    void forgets() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept();
                Selector selector = ends.connecting.openSelector()) {
            near.configureBlocking(false);
            SelectionKey key = near.register(selector, SelectionKey.OP_WRITE);
            assertThat(selector.select()).isEqualTo(1);
            key.cancel();
            assertThatThrownBy(key::interestOps).isInstanceOf(CancelledKeyException.class);
            assertThat(selector.keys()).contains(key);
            assertThat(selector.selectNow()).isZero();
            assertThat(selector.keys()).isEmpty();
            assertThat(near.isRegistered()).isFalse();
            near.register(selector, SelectionKey.OP_READ);
            near.close();
            assertThat(selector.selectNow()).isZero();
            assertThat(selector.keys()).isEmpty();
            assertThat(far.isOpen()).isTrue();
        }
    }

    @Test
    @DisplayName("accepts channels of the JDK, too")
    void mixed() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept();
                Selector selector = ends.connecting.openSelector()) {
            Pipe pipe = ends.connecting.openPipe();
            pipe.source().configureBlocking(false);
            near.configureBlocking(false);
            SelectionKey plain = pipe.source().register(selector, SelectionKey.OP_READ);
            SelectionKey key = near.register(selector, SelectionKey.OP_READ);
            assertThat(selector.selectNow()).isZero();
            pipe.sink().write(ByteBuffer.allocate(1));
            assertThat(selector.select()).isEqualTo(1);
            assertThat(selector.selectedKeys()).containsExactly(plain);
            selector.selectedKeys().clear();
            pipe.source().read(ByteBuffer.allocate(2));
            assertThat(selector.selectNow()).isZero();
            Future<Integer> written = ends.run(() -> far.write(ByteBuffer.allocate(1)));
            assertThat(selector.select()).isEqualTo(1);
            assertThat(selector.selectedKeys()).containsExactly(key);
            Patience.get(written);
            pipe.sink().close();
            pipe.source().close();
            selector.selectNow();
            assertThat(selector.keys()).containsExactly(key);
        }
    }

    @Test
    @DisplayName("that is closed ends the wait of its thread, and releases its channels")
    void closed() throws Exception {
        try (SocketChannel near = ends.connect()) {
            Selector selector = ends.connecting.openSelector();
            near.configureBlocking(false);
            near.register(selector, SelectionKey.OP_READ);
            Future<Integer> select = ends.run(() -> selector.select());
            selector.close();
            try {
                assertThat(Patience.get(select)).isZero();
            } catch (ClosedSelectorException e) {
                assertThat(selector.isOpen()).isFalse(); // it had not begun
            }
            assertThat(near.isRegistered()).isFalse();
            assertThatThrownBy(selector::selectNow).isInstanceOf(ClosedSelectorException.class);
        }
    }

    @Test
    @DisplayName("that is closed accepts no channel any more; its channels can become blocking again")
    void closedTakesNone() throws Exception {
        try (SocketChannel near = ends.connect();
                Pipe.SourceChannel plain = ends.connecting.openPipe().source()) {
            Selector selector = ends.connecting.openSelector();
            selector.close();
            near.configureBlocking(false);
            plain.configureBlocking(false);
            assertThatThrownBy(() -> near.register(selector, SelectionKey.OP_READ))
                    .isInstanceOf(ClosedSelectorException.class);
            assertThatThrownBy(() -> plain.register(selector, SelectionKey.OP_READ))
                    .isInstanceOf(ClosedSelectorException.class);
            near.configureBlocking(true);
            plain.configureBlocking(true);
        }
    }

    @Test
    @DisplayName("that is closed by its action throws after the action")
    void closedByItsAction() throws Exception {
        try (SocketChannel near = ends.connect();
                Selector selector = ends.connecting.openSelector()) {
            near.configureBlocking(false);
            near.register(selector, SelectionKey.OP_WRITE);
            assertThatThrownBy(() -> selector.select(key -> {
                        try {
                            selector.close();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }))
                    .isInstanceOf(ClosedSelectorException.class);
        }
    }

    @Test
    @DisplayName("selects a channel again whose action has thrown")
    void thrown() throws Exception {
        try (SocketChannel near = ends.connect();
                Selector selector = ends.connecting.openSelector()) {
            near.configureBlocking(false);
            near.register(selector, SelectionKey.OP_WRITE);
            assertThatThrownBy(() -> selector.select(key -> {
                        throw new IllegalStateException("of the test");
                    }))
                    .hasMessage("of the test");
            assertThat(selector.selectNow(key -> {})).isEqualTo(1);
        }
    }
}
