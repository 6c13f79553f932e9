package dev.jwarp.transport.tcp.net.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.llp.StreamDriver;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TCP's unsent bytes of a connection of java.nio")
class TcpInfoTest {
    @BeforeEach
    void epoll() {
        assumeTrue(Epoll.isAvailable(), "epoll cannot be had here");
    }

    private static TcpInfo find(SocketAddress local, SocketAddress remote) {
        return TcpInfo.find((InetSocketAddress) local, (InetSocketAddress) remote);
    }

    @Test
    @DisplayName("are those that the peer has no room for, and none once it has read; each side gets its own")
    void unsent() throws IOException {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            TcpInfo ours = find(client.getLocalAddress(), client.getRemoteAddress());
            TcpInfo theirs = find(server.getLocalAddress(), server.getRemoteAddress());
            assertThat(ours.unsent(0)).isZero();
            assertThat(ours.unsent(1)).isEqualTo(StreamDriver.OTHER_SEGMENTS);
            client.configureBlocking(false);
            server.configureBlocking(false);
            ByteBuffer octets = ByteBuffer.allocateDirect(1 << 20);
            while (client.write(octets.clear()) > 0) {}
            assertThat(ours.unsent(0)).isPositive();
            assertThat(theirs.unsent(0)).isZero();
            await().until(() -> server.read(octets.clear()) <= 0 && ours.unsent(0) == 0);
        }
    }

    @Test
    @DisplayName("are unknown for connections of other processes and for closed ones")
    void none() throws IOException {
        InetSocketAddress unused = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThat(find(unused, unused)).isNull();
        SocketAddress local;
        SocketAddress remote;
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
            local = client.getLocalAddress();
            remote = client.getRemoteAddress();
        }
        assertThat(find(local, remote)).isNull();
    }
}
