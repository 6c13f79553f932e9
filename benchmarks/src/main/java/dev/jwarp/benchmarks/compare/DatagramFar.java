package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;

/**
 * The far end of {@link DatagramEcho} and {@link DatagramStream}, in a process of its own. First it prints its port. It
 * returns messages, or answers each {@link #GROUP} of a stream with a datagram.
 */
final class DatagramFar {
    /** Number of datagrams of a stream after which an answer is sent; two such groups fit into any socket buffer. */
    static final int GROUP = 16;

    private DatagramFar() {}

    public static void main(String[] words) throws IOException {
        Arguments arguments = Arguments.of(Arrays.asList(words));
        ByteBuffer message = ByteBuffer.allocateDirect(arguments.number("size", 64));
        boolean stream = arguments.is("stream", "yes");
        DatagramChannel channel = SocketFar.provider(arguments)
                .openDatagramChannel()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        System.out.println(((InetSocketAddress) channel.getLocalAddress()).getPort());
        channel.connect(channel.receive(message));
        channel.write(message.clear());
        int came = 0;
        while (true) {
            channel.read(message.clear());
            if (stream && ++came < GROUP) {
                continue;
            }
            came = 0;
            channel.write(stream ? message.clear().limit(1) : message.flip());
        }
    }
}
