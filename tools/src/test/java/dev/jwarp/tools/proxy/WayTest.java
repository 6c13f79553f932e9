package dev.jwarp.tools.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A way through the gateway")
class WayTest {
    private static final int LARGE = 1 << 22;

    /** Two ends of a connection with room for all that is written here. */
    private record Ends(SocketChannel near, SocketChannel far) implements AutoCloseable {
        static Ends open() throws IOException {
            try (ServerSocketChannel listener = ServerSocketChannel.open()) {
                listener.setOption(StandardSocketOptions.SO_RCVBUF, LARGE);
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel near = SocketChannel.open();
                near.setOption(StandardSocketOptions.SO_SNDBUF, LARGE);
                near.connect(listener.getLocalAddress());
                return new Ends(near, listener.accept());
            }
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 14, 15, 16, 17, 31, 32})
    @DisplayName(
            "has its end told whenever it comes, also as the last thing before others have their turn (pieces before it):")
    void end(int pieces) throws IOException {
        try (Ends from = Ends.open();
                Ends to = Ends.open()) {
            ByteBuffer all = ByteBuffer.allocate(pieces * Way.ROOM);
            while (all.hasRemaining()) {
                from.near.write(all);
            }
            from.near.shutdownOutput();
            await().until(() -> from.far.socket().getInputStream().available() == all.capacity());
            from.far.configureBlocking(false);
            to.near.configureBlocking(false);
            Way way = new Way(from.far, to.near, ByteBuffer.allocateDirect(Way.ROOM));
            for (int i = 0; i < 100 && !way.done(); i++) {
                assertThat(way.wantsToRead() || way.wantsToWrite())
                        .as("a key that is selected again")
                        .isTrue();
                way.move();
            }
            assertThat(way.done()).isTrue();
            assertThat(way.moved()).isEqualTo(all.capacity());
        }
    }
}
