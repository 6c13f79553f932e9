package dev.jwarp.vectors;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * A TCP port of the loopback that has no listener: a connect is refused there. The port of a listener that was closed may be
 * another test's by then; this one is taken until it is closed.
 */
public final class UnheardPort implements AutoCloseable {
    private final SocketChannel bound;

    /** Takes a port. */
    public UnheardPort() throws IOException {
        bound = SocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** {@return where it is} */
    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) bound.getLocalAddress();
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
