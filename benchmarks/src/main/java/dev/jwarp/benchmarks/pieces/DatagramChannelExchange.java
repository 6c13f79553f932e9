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
    void move(int from) throws IOException {
        channels[from].send(bytes.rewind(), addresses[1 - from]);
        bytes.rewind();
        channels[from].receive(bytes);
        while (channels[1 - from].receive(bytes) == null) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() throws IOException {
        channels[0].close();
        channels[1].close();
    }
}
