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
        // At all addresses: a port that is free at loopback may be in use at ::1, and then no server can listen at all.
        socket.bind(new InetSocketAddress(0));
    }

    /** {@return its number} */
    public int number() {
        return socket.getLocalPort();
    }

    /** {@return its address at loopback} */
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), number());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
