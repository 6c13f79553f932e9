package dev.jwarp.benchmarks.pieces;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** Datagrams between unconnected ports, without any protocol of the program. */
final class DatagramChannelExchange extends MessageExchange {
    private final ByteBuffer bytes;
    private final DatagramChannel[] channels = new DatagramChannel[2];
    private final SocketAddress[] addresses = new SocketAddress[2];

    DatagramChannelExchange(int length) throws IOException {
        bytes = ByteBuffer.allocateDirect(LONGEST).limit(length);
        for (int i = 0; i < 2; i++) {
            channels[i] = DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channels[i].configureBlocking(false);
            addresses[i] = channels[i].getLocalAddress();
        }
    }

    @Override
    public void send(int end) throws IOException {
        channels[end].send(bytes.rewind(), addresses[1 - end]);
        bytes.rewind();
        channels[end].receive(bytes);
    }

    @Override
    public boolean receive(int end) throws IOException {
        return channels[end].receive(bytes) != null;
    }

    @Override
    public void close() throws IOException {
        channels[0].close();
        channels[1].close();
    }
}
