package dev.jwarp.tools.study.work;

import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/** Sockets of an application over {@code rc}, {@code ud} (jwarp), {@code tcp} or {@code udp} (the JDK), on loopback. */
final class ApplicationSockets implements AutoCloseable {
    private static final int RECEIVE_BUFFER = 1 << 20;
    private static final int LOST_MILLIS = 200;

    private final String over;
    private final SelectorProvider provider;
    private List<String> options = List.of();
    private final List<Closeable> open = new ArrayList<>();

    /** What one connection of a server does, until the peer closes it. */
    @FunctionalInterface
    interface Service {
        void serve(SocketChannel peer) throws IOException;
    }

    ApplicationSockets(String over) {
        this.over = over;
        provider = switch (over) {
            case "rc", "ud" -> JwarpSockets.provider();
            case "tcp", "udp" -> SelectorProvider.provider();
            default -> throw ToolFailure.usage("over=" + over + ": rc, ud, tcp or udp");
        };
    }

    /** Sets options of streams that are opened from now on: {@code NAME:VALUE,NAME:VALUE}. */
    void options(String list) {
        options = list.isEmpty() ? List.of() : List.of(list.split(",", -1));
    }

    /** A listener has only some of the options; its streams inherit those. */
    private <T extends NetworkChannel> T configured(T channel) throws IOException {
        for (String each : options) {
            String[] nameAndValue = each.split(":", -1);
            if (channel instanceof SocketChannel
                    && channel.supportedOptions().stream()
                            .noneMatch(option -> option.name().equals(nameAndValue[0]))) {
                throw ToolFailure.usage("there is no option '" + each + "'");
            }
            for (SocketOption<?> option : channel.supportedOptions()) {
                if (option.name().equals(nameAndValue[0])) {
                    set(channel, option, nameAndValue[1]);
                }
            }
        }
        return channel;
    }

    private static <V> void set(NetworkChannel channel, SocketOption<V> option, String value) throws IOException {
        Class<V> type = option.type();
        channel.setOption(
                option,
                type.cast(
                        type == Integer.class
                                ? Integer.valueOf(value)
                                : type == Boolean.class ? Boolean.valueOf(value) : StreamProtocol.valueOf(value)));
    }

    boolean datagrams() {
        return over.startsWith("ud");
    }

    /** {@return the address of a server that serves each connection in a thread of its own} */
    InetSocketAddress serve(Service service) throws IOException {
        ServerSocketChannel server = configured(provider.openServerSocketChannel());
        keep(server);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        start(() -> {
            while (true) {
                SocketChannel peer = server.accept();
                peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
                start(() -> {
                    try (peer) {
                        service.serve(peer);
                    }
                });
            }
        });
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** {@return the address of a server that sends each message of that length back} */
    InetSocketAddress echo(int length) throws IOException {
        return serve(peer -> {
            ByteBuffer message = ByteBuffer.allocateDirect(length);
            while (true) {
                readAll(peer, message.clear());
                writeAll(peer, message.clear());
            }
        });
    }

    SocketChannel connect(InetSocketAddress to) throws IOException {
        SocketChannel channel = provider.openSocketChannel();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        configured(channel).connect(to);
        return channel;
    }

    /** {@return a bound socket, closed with this} */
    DatagramChannel datagramChannel() throws IOException {
        DatagramChannel channel = provider.openDatagramChannel();
        keep(channel);
        channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return channel;
    }

    /** A socket that does not wait for ever for a datagram that is lost. */
    final class Client {
        private final DatagramChannel channel = datagramChannel();
        private final Selector selector = provider.openSelector();
        private final SocketAddress to;

        Client(SocketAddress to) throws IOException {
            this.to = to;
            keep(selector);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }

        void send(ByteBuffer datagram) throws IOException {
            channel.send(datagram, to);
        }

        /** {@return whether a datagram has come in time} */
        boolean receive(ByteBuffer datagram) throws IOException {
            while (channel.receive(datagram) == null) {
                if (selector.select(LOST_MILLIS) == 0) {
                    return false;
                }
                selector.selectedKeys().clear();
            }
            return true;
        }
    }

    private synchronized void keep(Closeable socket) {
        open.add(socket);
    }

    /** A task that ends when its socket is closed. */
    @FunctionalInterface
    interface Task {
        void run() throws IOException;
    }

    /** Starts a thread that ends quietly with its socket. */
    static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The peer or the application has closed the socket.
                    }
                },
                "application");
        thread.setDaemon(true);
        thread.start();
    }

    /** Fills the buffer from position to limit. */
    static void readAll(SocketChannel from, ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            if (from.read(to) < 0) {
                throw new EOFException("the peer has closed the connection");
            }
        }
    }

    /** Sends the buffer from position to limit. */
    static void writeAll(SocketChannel to, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            to.write(from);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }
}
