package dev.jwarp.benchmarks.pieces;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** Bytes in a stream, without any protocol of the program. */
final class ChannelExchange extends MessageExchange {
    private final ByteBuffer bytes;
    private final SocketChannel[] channels = new SocketChannel[2];

    /**
     * @param client makes the channel of end 0
     * @param server makes the channel of end 1
     */
    ChannelExchange(SelectorProvider client, SelectorProvider server, int length) throws IOException {
        bytes = ByteBuffer.allocateDirect(LONGEST).limit(length);
        try (ServerSocketChannel listener = server.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channels[0] = client.openSocketChannel();
            channels[0].connect(listener.getLocalAddress());
            channels[1] = listener.accept();
        }
        for (SocketChannel channel : channels) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
        }
    }

    @Override
    public void send(int end) throws IOException {
        channels[end].write(bytes.rewind());
        bytes.rewind();
        channels[end].read(bytes);
    }

    @Override
    public boolean receive(int end) throws IOException {
        channels[end].read(bytes);
        return !bytes.hasRemaining();
    }

    @Override
    public void close() throws IOException {
        channels[0].close();
        channels[1].close();
    }
}
