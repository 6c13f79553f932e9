package dev.jwarp.benchmarks.compare;

import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.stream.StreamProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The far end of {@link SocketEcho} and {@link SocketStream}, in a process of its own, because the two ends of a
 * program with sockets are two processes. First it prints its port. It returns messages, or answers each {@link #PIECE}
 * of a stream with a byte.
 */
final class SocketFar {
    /** Number of bytes of a stream after which an answer is sent. */
    static final int PIECE = 1 << 20;

    private static final int RING = 256 * 1024;

    private SocketFar() {}

    /** {@return the provider of channels: {@code provider=jdk|jwarp}} */
    static SelectorProvider provider(Arguments arguments) {
        return arguments.is("provider", "jwarp") ? JwarpSockets.provider() : SelectorProvider.provider();
    }

    /**
     * Sets the protocol options of a channel or listener: {@code protocol=credits credits=N copy=N zerocopy=N
     * messages=yes}.
     */
    static void speak(NetworkChannel channel, Arguments arguments) throws IOException {
        if (arguments.is("protocol", "credits")) {
            channel.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS)
                    .setOption(JwarpSocketOptions.ZERO_COPY_BYTES, arguments.number("zerocopy", 0))
                    .setOption(JwarpSocketOptions.MESSAGES, arguments.is("messages", "yes"));
        }
        int credits = arguments.number("credits", 0);
        if (credits > 0) {
            channel.setOption(JwarpSocketOptions.CREDITS, credits);
        }
        int copy = arguments.number("copy", 0);
        if (copy > 0) {
            channel.setOption(JwarpSocketOptions.COPY_BYTES, copy);
        }
    }

    /** {@return the checksum of a program that checks its bytes itself: {@code crc=on}; null for none} */
    static @Nullable CRC32C crc(Arguments arguments) {
        return arguments.is("crc", "on") ? new CRC32C() : null;
    }

    /** Updates the checksum with all bytes between position and limit, which stay unchanged. */
    static void check(@Nullable CRC32C crc, ByteBuffer bytes) {
        if (crc != null) {
            int position = bytes.position();
            crc.update(bytes);
            bytes.position(position);
        }
    }

    public static void main(String[] words) throws IOException {
        Arguments arguments = Arguments.of(Arrays.asList(words));
        int size = arguments.number("size", 64);
        int count = arguments.number("connections", 1);
        boolean stream = arguments.is("stream", "yes");
        SelectorProvider provider = provider(arguments);
        SocketChannel[] channels = new SocketChannel[count];
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            speak(listener, arguments);
            int buffer = arguments.number("buffer", 0);
            if (buffer > 0) {
                listener.setOption(StandardSocketOptions.SO_RCVBUF, buffer);
            }
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
            System.out.println(listener.socket().getLocalPort());
            for (int i = 0; i < count; i++) {
                channels[i] = listener.accept();
                channels[i].setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
        }
        if (stream) {
            take(channels[0], Math.max(RING, size), crc(arguments));
        } else if (arguments.is("wait", "select")) {
            select(provider, channels, size);
        } else {
            for (SocketChannel channel : channels) {
                channel.configureBlocking(!arguments.is("wait", "poll"));
                new Thread(() -> echo(channel, size), "echo").start();
            }
        }
    }

    private static void echo(SocketChannel channel, int size) {
        ByteBuffer message = ByteBuffer.allocateDirect(size);
        try {
            while (channel.read(message) >= 0) {
                answer(channel, message);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(SocketChannel channel, ByteBuffer message) throws IOException {
        if (!message.hasRemaining()) {
            message.flip();
            while (message.hasRemaining()) {
                channel.write(message);
            }
            message.clear();
        }
    }

    private static void select(SelectorProvider provider, SocketChannel[] channels, int size) throws IOException {
        Selector selector = provider.openSelector();
        for (SocketChannel channel : channels) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(size));
        }
        while (true) {
            selector.select(SocketFar::ready);
        }
    }

    private static void ready(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        ByteBuffer message = (ByteBuffer) key.attachment();
        try {
            if (channel.read(message) < 0) {
                channel.close();
            } else {
                answer(channel, message);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void take(SocketChannel channel, int room, @Nullable CRC32C crc) throws IOException {
        ByteBuffer ring = ByteBuffer.allocateDirect(room);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        int came = 0;
        int count = 0;
        while (count >= 0) {
            ring.clear();
            count = channel.read(ring);
            check(crc, ring.flip());
            came += Math.max(count, 0);
            for (; came >= PIECE; came -= PIECE) {
                channel.write(answer.clear());
            }
        }
    }
}
