package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.llp.Progressing;
import java.net.InetSocketAddress;

/** One instance of a transport for datagrams: its ports, and how they make progress. */
public interface DatagramTransport extends Progressing {
    /**
     * Opens a port.
     *
     * @param local where to bind; port 0 for any
     * @throws dev.jwarp.ddp.llp.LlpException if the address cannot be bound
     */
    DatagramPort open(InetSocketAddress local);
}
