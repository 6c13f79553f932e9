package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A channel and its socket report the same state as those of the JDK")
class AfterCloseTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Map<String, String> said = new LinkedHashMap<>();

    private void ask(String what, Callable<?> question) {
        String answer;
        try {
            answer = String.valueOf(question.call());
        } catch (Exception e) {
            answer = e.toString();
        }
        said.put(what, answer.replaceAll("\\b\\d{4,5}$", "PORT"));
    }

    private void ask(String when, SocketChannel channel) {
        ask(when + " isConnected", channel::isConnected);
        ask(when + " isConnectionPending", channel::isConnectionPending);
        ask(when + " getRemoteAddress", channel::getRemoteAddress);
        ask(when + " getLocalAddress", channel::getLocalAddress);
        ask(when + " write", () -> channel.write(ByteBuffer.allocate(0)));
        ask(when + " getOption", () -> channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
        ask(when, channel.socket());
    }

    private void ask(String when, Socket socket) {
        ask(when + " getInetAddress", socket::getInetAddress);
        ask(when + " getPort", socket::getPort);
        ask(when + " getRemoteSocketAddress", socket::getRemoteSocketAddress);
        ask(when + " getLocalAddress", socket::getLocalAddress);
        ask(when + " getLocalPort", socket::getLocalPort);
        ask(when + " getLocalSocketAddress", socket::getLocalSocketAddress);
        ask(when + " isBound", socket::isBound);
        ask(when + " Socket.isConnected", socket::isConnected);
        ask(when + " isClosed", socket::isClosed);
        ask(when + " isInputShutdown", socket::isInputShutdown);
        ask(when + " isOutputShutdown", socket::isOutputShutdown);
        ask(when + " getInputStream", () -> socket.getInputStream() != null);
        ask(when + " getOutputStream", () -> socket.getOutputStream() != null);
        ask(when + " shutdownInput", () -> {
            socket.shutdownInput();
            return "done";
        });
        ask(when + " shutdownOutput", () -> {
            socket.shutdownOutput();
            return "done";
        });
        ask(when + " isOutputShutdown then", socket::isOutputShutdown);
    }

    private void ask(String when, ServerSocket socket) {
        ask(when + " getInetAddress", socket::getInetAddress);
        ask(when + " getLocalPort", socket::getLocalPort);
        ask(when + " getLocalSocketAddress", socket::getLocalSocketAddress);
        ask(when + " isBound", socket::isBound);
        ask(when + " isClosed", socket::isClosed);
    }

    private void ask(String when, DatagramSocket socket) {
        ask(when + " getInetAddress", socket::getInetAddress);
        ask(when + " getPort", socket::getPort);
        ask(when + " getRemoteSocketAddress", socket::getRemoteSocketAddress);
        ask(when + " getLocalAddress", socket::getLocalAddress);
        ask(when + " getLocalPort", socket::getLocalPort);
        ask(when + " getLocalSocketAddress", socket::getLocalSocketAddress);
        ask(when + " isBound", socket::isBound);
        ask(when + " isConnected", socket::isConnected);
        ask(when + " isClosed", socket::isClosed);
    }

    private Map<String, String> all(SelectorProvider provider) throws Exception {
        said.clear();
        try (ServerSocketChannel listener = provider.openServerSocketChannel();
                SocketChannel near = provider.openSocketChannel();
                SocketChannel fresh = provider.openSocketChannel();
                DatagramChannel datagrams = provider.openDatagramChannel()) {
            ask("new listener", listener.socket());
            ask("new stream", fresh);
            fresh.close();
            ask("closed, never connected", fresh);
            listener.bind(ANY);
            near.connect(listener.getLocalAddress());
            try (SocketChannel far = listener.accept()) {
                near.close();
                ask("closed", near);
                far.close();
                ask("closed, accepted", far);
            }
            ask("listener", listener.socket());
            listener.close();
            ask("closed listener", listener.socket());
            ask("new datagrams", datagrams.socket());
            datagrams.bind(ANY);
            datagrams.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 21_490));
            datagrams.close();
            ask("closed datagrams", datagrams.socket());
        }
        return new LinkedHashMap<>(said);
    }

    @Test
    @DisplayName("before it is bound, and after it is closed")
    void likeTheJdk() throws Exception {
        Map<String, String> theirs = all(JdkProvider.get());
        assertThat(all(new JwarpSelectorProvider())).containsExactlyEntriesOf(theirs);
    }
}
