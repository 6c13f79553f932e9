package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Round trips in plain java.nio, one at a time, over TCP or UDP; the ends spin, or block in the read. */
final class NioEcho implements Contender {
    private final int size;
    private final Line near;
    private final ByteBuffer message;
    private final Turn turn = new Turn();
    private final TimedRoundTrips trips;
    private volatile boolean stop;

    NioEcho(Arguments arguments) throws IOException {
        size = arguments.number("size", 64);
        trips = new TimedRoundTrips(size, turn);
        message = ByteBuffer.allocateDirect(size);
        boolean spin = arguments.is("wait", "spin");
        Line[] ends = arguments.is("over", "udp") ? udp(spin, arguments.is("connected", "no")) : tcp(spin);
        near = ends[0];
        Thread server = new Thread(() -> serve(ends[1], spin), "server");
        server.setDaemon(true);
        server.start();
    }

    /** One end. */
    private interface Line {
        /** {@return bytes read, or 0 if there is nothing} */
        int read(ByteBuffer into) throws IOException;

        void write(ByteBuffer from) throws IOException;
    }

    private record Tcp(SocketChannel channel) implements Line {
        static Tcp of(SocketChannel channel, boolean spin) throws IOException {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(!spin);
            return new Tcp(channel);
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            channel.write(from);
        }
    }

    private record Connected(DatagramChannel channel) implements Line {
        @Override
        public int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            channel.write(from);
        }
    }

    private record Addressed(DatagramChannel channel, SocketAddress peer) implements Line {
        @Override
        public int read(ByteBuffer into) throws IOException {
            int before = into.position();
            @Nullable SocketAddress from = channel.receive(into);
            return from == null ? 0 : into.position() - before;
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            channel.send(from, peer);
        }
    }

    private static Line[] tcp(boolean spin) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel client = SocketChannel.open(listener.getLocalAddress());
            return new Line[] {Tcp.of(client, spin), Tcp.of(listener.accept(), spin)};
        }
    }

    private static Line[] udp(boolean spin, boolean addressed) throws IOException {
        DatagramChannel[] ends = new DatagramChannel[2];
        for (int i = 0; i < 2; i++) {
            ends[i] = DatagramChannel.open(java.net.StandardProtocolFamily.INET)
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ends[i].configureBlocking(!spin);
        }
        Line[] lines = new Line[2];
        for (int i = 0; i < 2; i++) {
            SocketAddress peer = ends[1 - i].getLocalAddress();
            lines[i] = addressed ? new Addressed(ends[i], peer) : new Connected(ends[i].connect(peer));
        }
        return lines;
    }

    private void serve(Line end, boolean spin) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(size);
        try {
            while (!stop) {
                if (spin) {
                    turn.await();
                }
                if (end.read(buffer) > 0 && !buffer.hasRemaining()) {
                    buffer.flip();
                    end.write(buffer);
                    buffer.clear();
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public Sample round(long nanos) throws IOException {
        return trips.round(nanos, this::trip);
    }

    private void trip() throws IOException {
        message.clear();
        near.write(message);
        message.clear();
        while (message.hasRemaining()) {
            near.read(message);
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        stop = true;
    }
}
