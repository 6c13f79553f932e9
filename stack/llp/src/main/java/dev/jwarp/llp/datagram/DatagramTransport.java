package dev.jwarp.llp.datagram;

import dev.jwarp.llp.Progressing;
import java.net.InetSocketAddress;

/** An instance of a transport for datagrams, with its ports. */
public interface DatagramTransport extends Progressing {
    /**
     * {@return the address that a port binds for {@code local}: on hosts with IPv6 the IPv4 wildcard address stands for
     * both versions of IP, as with sockets of the JDK}
     *
     * @param local requested address
     */
    InetSocketAddress place(InetSocketAddress local);

    /**
     * Opens a port.
     *
     * @param local address to bind; port 0 for any free port
     * @throws dev.jwarp.llp.LlpException if the address cannot be bound
     */
    DatagramPort open(InetSocketAddress local);

    /**
     * Reads the file of keys again; its keys are valid for all ports within a second of their clocks. Any thread.
     *
     * @throws IllegalArgumentException with a sentence if there is none, or it cannot be used; the keys stay then
     */
    void reloadKeys();
}
