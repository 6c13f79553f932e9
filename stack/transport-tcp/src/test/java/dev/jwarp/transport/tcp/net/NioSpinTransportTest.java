package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TransportTest;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("tcp-nio, spin")
class NioSpinTransportTest extends TransportTest {
    @Override
    protected TransportProvider provider() {
        return new NioTransportProvider();
    }

    @Override
    protected Map<String, String> settings() {
        return Map.of("jwarp.progress.wait", "spin");
    }
}
