package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.HostilePeersTest;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("tcp-nio, select, against hostile peers")
class NioSelectHostilePeersTest extends HostilePeersTest {
    @Override
    protected TransportProvider provider() {
        return new NioTransportProvider();
    }

    @Override
    protected Map<String, String> settings() {
        return Map.of("jwarp.progress.wait", "select");
    }
}
