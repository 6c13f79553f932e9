package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.DatagramTransportTest;
import java.util.Map;

class EpollPlainTransportTest extends DatagramTransportTest {
    EpollPlainTransportTest() {
        super(new NettyDatagramTransportProvider(), Map.of("jwarp.udp.segmentation", "off"));
    }
}
