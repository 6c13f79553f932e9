package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * A program for java.nio's datagrams, over UDP of the JDK or over jwarp's sockets, connected to {@link DatagramFar}.
 * Loopback loses no datagrams here.
 */
abstract class DatagramNear implements Contender {
    private final FarProcess far;
    final DatagramChannel channel;
    final ByteBuffer message;

    /** @param arguments {@code provider=jdk|jwarp size=N} */
    DatagramNear(Arguments arguments, int usualSize) throws IOException {
        message = ByteBuffer.allocateDirect(arguments.number("size", usualSize));
        far = new FarProcess(DatagramFar.class, arguments);
        channel = SocketFar.provider(arguments).openDatagramChannel();
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(far.next())));
        channel.write(message.clear()); // so that the far end knows its peer
        channel.read(message.clear());
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        far.close();
    }
}
