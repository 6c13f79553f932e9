package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.llp.Progressing;
import java.net.InetSocketAddress;

/** One instance of a transport for datagrams: its ports, and how they make progress. */
public interface DatagramTransport extends Progressing {
    /**
     * {@return where a port is that is asked for there: the wildcard address of IPv4 stands for both versions of IP where there are both, as it does for the JDK's sockets}
     *
     * @param local where to bind
     */
    InetSocketAddress place(InetSocketAddress local);

    /**
     * Opens a port.
     *
     * @param local where to bind; port 0 for any
     * @throws dev.jwarp.ddp.llp.LlpException if the address cannot be bound
     */
    DatagramPort open(InetSocketAddress local);
}
