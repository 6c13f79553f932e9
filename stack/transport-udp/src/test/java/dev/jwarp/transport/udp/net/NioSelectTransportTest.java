package dev.jwarp.transport.udp.net;

import java.util.Map;

class NioSelectTransportTest extends DatagramTransportTest {
    NioSelectTransportTest() {
        super(new NioDatagramTransportProvider(), Map.of("jwarp.progress.wait", "select"));
    }
}
