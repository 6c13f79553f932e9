package dev.jwarp.transport.udp.net;

import java.util.Map;

class NioSpinTransportTest extends DatagramTransportTest {
    NioSpinTransportTest() {
        super(new NioDatagramTransportProvider(), Map.of("jwarp.progress.wait", "spin"));
    }
}
