package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.DatagramTransportTest;
import java.util.Map;

class EpollTransportTest extends DatagramTransportTest {
    EpollTransportTest() {
        super(new NettyDatagramTransportProvider(), Map.of());
    }
}
