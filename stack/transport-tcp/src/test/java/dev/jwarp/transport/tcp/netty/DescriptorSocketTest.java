package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.StreamSocket;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A descriptor of Linux")
class DescriptorSocketTest {
    private static final int IPPROTO_TCP = 6;

    private static final Map<String, String> TIMES = Map.of("jwarp.tcp.keep-alive", "77, 11, 3");

    @BeforeEach
    void epoll() {
        Assumptions.assumeTrue(Epoll.isAvailable(), "NOT RUN: epoll cannot be had here");
    }

    private static DescriptorSocket opened(Map<String, String> settings) throws IOException {
        return (DescriptorSocket) new DescriptorSockets(TcpSettings.of(settings)).open(null);
    }

    /** {@return whether keep-alive is on, and its three values in the system} */
    private static List<Object> options(DescriptorSocket socket) throws IOException {
        return List.of(
                socket.descriptor().isKeepAlive(),
                socket.descriptor().getIntOpt(IPPROTO_TCP, 4),
                socket.descriptor().getIntOpt(IPPROTO_TCP, 5),
                socket.descriptor().getIntOpt(IPPROTO_TCP, 6));
    }

    @Test
    @DisplayName("has keep-alive with the default times, or those of the settings, then those of the connection")
    void keepAlive() throws IOException {
        try (DescriptorSocket socket = opened(Map.of())) {
            assertThat(options(socket)).containsExactly(true, 60, 10, 6);
        }
        try (DescriptorSocket socket = opened(TIMES)) {
            assertThat(options(socket)).containsExactly(true, 77, 11, 3);
            socket.keepAlive(new KeepAliveTimes(true, 5, 4, 2));
            assertThat(options(socket)).containsExactly(true, 5, 4, 2);
            socket.keepAlive(KeepAliveTimes.OFF);
            assertThat(socket.descriptor().isKeepAlive()).isFalse();
        }
        try (DescriptorSocket socket = opened(Map.of("jwarp.tcp.keep-alive", "off"))) {
            assertThat(socket.descriptor().isKeepAlive()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-110, -112, -113, -101})
    @DisplayName("reports that the peer does not answer, for these error numbers")
    void timedOut(int number) throws IOException {
        try (DescriptorSocket socket = opened(Map.of())) {
            assertThat(socket.timedOut(new NativeIoException("read", number))).isTrue();
            assertThat(socket.timedOutWriting(new NativeIoException("write", number)))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-104, -32, -5})
    @DisplayName("reports that the connection broke, for any other number")
    void broken(int number) throws IOException {
        try (DescriptorSocket socket = opened(Map.of())) {
            assertThat(socket.timedOut(new NativeIoException("read", number))).isFalse();
            assertThat(socket.timedOutWriting(new NativeIoException("write", number)))
                    .isFalse();
            assertThat(socket.timedOut(new SocketException("Connection reset"))).isFalse();
        }
    }

    @Test
    @DisplayName("whose peer has not answered yet is not connected, whatever an old event says")
    void notConnectedYet() throws IOException {
        DescriptorSockets sockets = new DescriptorSockets(TcpSettings.of(Map.of()));
        List<DescriptorSocket> connecting = new ArrayList<>();
        try (DescriptorSocket.Listener listener = (DescriptorSocket.Listener)
                sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            boolean established = true;
            while (established) { // the listener takes no connection, so its queue is full after a few
                DescriptorSocket next = opened(Map.of());
                connecting.add(next);
                established = next.connect(listener.localAddress()) || next.remoteAddress() != null;
            }
            DescriptorSocket last = connecting.get(connecting.size() - 1);
            assertThat(last.finishConnect()).isFalse();
            Awaitility.await().until(() -> {
                StreamSocket taken = listener.accept();
                if (taken != null) {
                    taken.close();
                }
                return last.finishConnect();
            });
        } finally {
            for (DescriptorSocket one : connecting) {
                one.close();
            }
        }
    }

    @Test
    @DisplayName("in a write to a peer that has reset it has not timed out")
    void writeAfterReset() throws IOException {
        DescriptorSockets sockets = new DescriptorSockets(TcpSettings.of(Map.of()));
        try (DescriptorSocket.Listener listener = (DescriptorSocket.Listener)
                sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            Socket peer = new Socket(
                    InetAddress.getLoopbackAddress(), listener.localAddress().getPort());
            DescriptorSocket[] taken = new DescriptorSocket[1];
            Awaitility.await().until(() -> (taken[0] = (DescriptorSocket) listener.accept()) != null);
            assertThat(taken[0].remoteAddress()).isEqualTo(peer.getLocalSocketAddress());
            peer.setSoLinger(true, 0);
            peer.close();
            Awaitility.await().until(() -> taken[0].remoteAddress() == null); // the reset has arrived
            taken[0].shutDownOutput(); // the next read reports the reset
            IOException[] thrown = new IOException[1];
            Awaitility.await().until(() -> {
                try {
                    taken[0].write(new ByteBuffer[] {ByteBuffer.allocateDirect(1)}, 1);
                    return false;
                } catch (IOException e) {
                    thrown[0] = e;
                    return true;
                }
            });
            assertThat(taken[0].timedOut(thrown[0])).isFalse();
            assertThatThrownBy(() -> taken[0].block(true)).isInstanceOf(UnsupportedOperationException.class);
            taken[0].close();
            assertThat(taken[0].remoteAddress()).isNull();
        }
    }
}
