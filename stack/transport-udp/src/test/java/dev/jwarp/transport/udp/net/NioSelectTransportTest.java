package dev.jwarp.transport.udp.net;

import dev.jwarp.transport.udp.DatagramTransportTest;
import java.util.Map;

class NioSelectTransportTest extends DatagramTransportTest {
    NioSelectTransportTest() {
        super(new NioDatagramTransportProvider(), Map.of("jwarp.udp.wait", "select"));
    }
}
