package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.Loop;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.vectors.Patience;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A timer that is due after a pause of the process")
class InputFirstTest {
    private final List<String> told = new ArrayList<>();
    private long timeout = Long.MAX_VALUE;
    private int quota = 1 << 16;
    private boolean answered;

    /** Cancels its timer when it has received the awaited data, and ends when its timer fires. */
    private final StreamEngine engine = (StreamEngine) Proxy.newProxyInstance(
            InputFirstTest.class.getClassLoader(),
            new Class<?>[] {StreamEngine.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "readQuota" -> (int) arguments[1] < 4 ? quota : 0;
                case "prepareOutput", "endsTurn" -> false;
                case "nextTimeout" -> timeout;
                case "ending" -> told.contains("onTimeout") ? StreamEngine.Ending.CLOSE : StreamEngine.Ending.OPEN;
                default -> {
                    told.add(method.getName());
                    if (method.getName().equals("onTimeout")
                            || (answered && method.getName().equals("receive"))) {
                        timeout = Long.MAX_VALUE;
                    }
                    yield null;
                }
            });

    private ServerSocketChannel listener;
    private SocketChannel peer;
    private TcpRig rig;
    private Loop loop;
    private StreamIo stream;

    @BeforeEach
    void connect() throws Exception {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        rig = new TcpRig(Map.of("jwarp.progress.wait", "select"));
        loop = rig.loop;
        stream = rig.connected(listener, engine, told);
        peer = listener.accept();
        told.clear();
    }

    @AfterEach
    void close() throws Exception {
        if (loop.items().size() > 0) {
            told.add("onTimeout");
            stream.look(loop.now());
        }
        rig.close();
        peer.close();
        listener.close();
    }

    /** The timer has been due for a long time, and no thread has polled since. */
    private void pause() {
        timeout = loop.now() - 1;
        loop.timers().schedule(stream, timeout);
    }

    private void arrives(int octets) throws Exception {
        peer.write(ByteBuffer.wrap(new byte[octets]));
        awaitInput();
    }

    private void awaitInput() throws Exception {
        try (Selector selector = Selector.open()) {
            TcpRig.channel(stream).register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(Patience.MILLIS))
                    .as("it is in the socket")
                    .isOne();
        }
    }

    @Test
    @DisplayName("does not fire if the awaited data are in the socket")
    void answerInSocket() throws Exception {
        answered = true;
        arrives(8);
        pause();
        loop.poll();
        assertThat(told).containsExactly("receive");
    }

    @Test
    @DisplayName("does not fire either if other data of more than one turn precede the awaited data")
    void answerBehindMuch() throws Exception {
        arrives(100);
        quota = 1;
        pause();
        await().pollInSameThread().until(() -> {
            loop.poll();
            return told.size() > 80;
        });
        answered = true;
        await().pollInSameThread().until(() -> {
            loop.poll();
            return timeout == Long.MAX_VALUE;
        });
        assertThat(told).containsOnly("receive");
    }

    @Test
    @DisplayName("fires at once if the socket is empty, or if its data do not postpone the timer")
    void nothingThere() throws Exception {
        arrives(8);
        pause();
        loop.poll();
        assertThat(told).startsWith("receive", "onTimeout");
    }

    @Test
    @DisplayName("fires although a peer sends without end")
    void endless() throws Exception {
        quota = 1 << 10;
        peer.configureBlocking(false);
        ByteBuffer much = ByteBuffer.allocate(1 << 16);
        peer.write(much.clear());
        awaitInput();
        pause();
        await().pollInSameThread().until(() -> {
            while (peer.write(much.clear()) > 0) {
                // as much as the socket accepts
            }
            loop.poll();
            return told.contains("onTimeout");
        });
        assertThat(told).contains("receive");
    }
}
