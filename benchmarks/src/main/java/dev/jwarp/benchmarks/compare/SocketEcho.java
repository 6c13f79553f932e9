package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A program for java.nio, over TCP of the JDK or over jwarp's sockets: round trips, one at a time, over each of its channels in turn. */
final class SocketEcho implements Contender {
    private final FarProcess far;
    private final SocketChannel[] channels;
    private final @Nullable Selector selector;
    private final ByteBuffer message;
    private final TimedRoundTrips trips;
    private final Consumer<SelectionKey> reader = this::ready;
    private final int active;
    private int turn;

    /**
     * @param arguments {@code provider=jdk|jwarp protocol=credits wait=block|poll|select size=N connections=N
     * active=N}; {@code active} is the number of connections that send
     */
    SocketEcho(Arguments arguments) throws IOException {
        int size = arguments.number("size", 64);
        SelectorProvider provider = SocketFar.provider(arguments);
        far = new FarProcess(SocketFar.class, arguments);
        InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(far.next()));
        selector = arguments.is("wait", "select") ? provider.openSelector() : null;
        channels = new SocketChannel[arguments.number("connections", 1)];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = provider.openSocketChannel();
            SocketFar.speak(channels[i], arguments);
            channels[i].connect(there);
            channels[i].setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (selector != null) {
                channels[i].configureBlocking(false);
                channels[i].register(selector, SelectionKey.OP_READ);
            } else {
                channels[i].configureBlocking(!arguments.is("wait", "poll"));
            }
        }
        active = arguments.number("active", channels.length);
        message = ByteBuffer.allocateDirect(size);
        trips = new TimedRoundTrips(size, new Turn());
    }

    @Override
    public Sample round(long nanos) throws IOException {
        return trips.round(nanos, this::trip);
    }

    private void trip() throws IOException {
        SocketChannel channel = channels[turn];
        turn = (turn + 1) % active;
        message.clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
        message.clear();
        while (message.hasRemaining()) {
            if (selector != null) {
                selector.select(reader);
            } else {
                read(channel);
            }
        }
    }

    private void ready(SelectionKey key) {
        try {
            read((SocketChannel) key.channel());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(SocketChannel channel) throws IOException {
        if (channel.read(message) < 0) {
            throw new IOException("the far end has closed the connection");
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        far.close();
    }
}
