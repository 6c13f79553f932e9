package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.Loop;
import dev.jwarp.llp.StreamEngine;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A connection that waits in a blocking read")
class BlockingWaitTest {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final ByteBuffer output = ByteBuffer.allocate(8).limit(0);

    /** Ends when the connection is reported as broken. */
    private final StreamEngine engine = (StreamEngine) Proxy.newProxyInstance(
            BlockingWaitTest.class.getClassLoader(),
            new Class<?>[] {StreamEngine.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "readQuota" -> (int) arguments[1] == 0 ? arguments[0] : 0;
                case "prepareOutput" -> output.hasRemaining();
                case "output" -> new ByteBuffer[] {output};
                case "outputCount" -> 1;
                case "onWritten" -> true;
                case "endsTurn" -> false;
                case "nextTimeout" -> Long.MAX_VALUE;
                case "ending" ->
                    told.contains("onBroken") || told.contains("onInputClosed")
                            ? StreamEngine.Ending.CLOSE
                            : StreamEngine.Ending.OPEN;
                default -> {
                    told.add(method.getName());
                    yield null;
                }
            });

    private ServerSocketChannel peer;
    private TcpRig rig;
    private Loop loop;
    private StreamIo stream;

    @BeforeEach
    void connect() throws Exception {
        peer = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        rig = new TcpRig(Map.of("jwarp.progress.wait", "block"));
        loop = rig.loop;
        stream = rig.connected(peer, engine, told);
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
        peer.close();
    }

    @Test
    @DisplayName("is read soon, even if the program always sends before it waits")
    void readWhileBusy() throws Exception {
        try (SocketChannel other = peer.accept()) {
            untilItBlocks(other);
            await().pollInSameThread().until(() -> {
                other.write(ByteBuffer.wrap(new byte[1]));
                stream.wakeup();
                loop.await(Long.MAX_VALUE);
                return told.contains("receive");
            });
        }
        await().pollInSameThread().until(() -> {
            loop.poll();
            return loop.items().size() == 0;
        });
    }

    @Test
    @DisplayName("receives the data that the peer sent before its reset, although a write fails first")
    void lastWords() throws Exception {
        try (SocketChannel other = peer.accept()) {
            untilItBlocks(other);
            other.setOption(StandardSocketOptions.SO_LINGER, 0);
            other.write(ByteBuffer.wrap(new byte[8]));
        }
        output.clear();
        stream.wakeup();
        await().pollInSameThread().until(() -> {
            loop.await(Long.MAX_VALUE);
            return told.contains("onBroken");
        });
        assertThat(told).containsSubsequence("receive", "onBroken"); // a write before the reset arrives may succeed
    }

    private void untilItBlocks(SocketChannel other) throws IOException {
        other.write(ByteBuffer.wrap(new byte[8]));
        for (int i = 0; i < 8; i++) { // the last waits are blocking reads
            loop.await(Long.MAX_VALUE);
            other.write(ByteBuffer.wrap(new byte[8]));
        }
        assertThat(stream.socket().isBlocking()).isTrue();
        loop.await(Long.MAX_VALUE); // nothing is left but the last octets
        told.clear();
    }

    @Test
    @DisplayName("is notified of its abort, even while it is in no read")
    void brokenOff() throws Exception {
        stream.socket().block();
        TcpRig.channel(stream).close();
        stream.socket().unblock();
        await().pollInSameThread().until(() -> {
            loop.poll();
            return told.contains("onBroken");
        });
        assertThat(loop.items().size()).isZero();
    }
}
