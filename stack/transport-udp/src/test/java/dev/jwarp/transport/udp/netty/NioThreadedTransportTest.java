package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.DatagramTransportTest;
import java.util.Map;

class NioThreadedTransportTest extends DatagramTransportTest {
    NioThreadedTransportTest() {
        super(new NettyDatagramTransportProvider(), Map.of("jwarp.progress.native", "off"));
    }

    @Override
    protected boolean toldWhereItWasAsked() {
        return false; // java.nio does not report it
    }
}
