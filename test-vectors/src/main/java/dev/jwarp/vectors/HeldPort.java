package dev.jwarp.vectors;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A TCP port of loopback at which nothing listens: connections are refused there. As long as this is open, the system gives the port to no program that asks for any one; those that
 * name it can listen there. A port that a test has given back may be another test's at once.
 */
public final class HeldPort implements AutoCloseable {
    private final Socket socket = new Socket();

    /**
     * Has one.
     *
     * @throws IOException if there is none
     */
    public HeldPort() throws IOException {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** {@return its number} */
    public int number() {
        return socket.getLocalPort();
    }

    /** {@return its address} */
    public InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
