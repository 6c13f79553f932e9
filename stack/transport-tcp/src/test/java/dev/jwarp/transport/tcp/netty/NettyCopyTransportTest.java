package dev.jwarp.transport.tcp.netty;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TransportTest;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("tcp-netty, epoll, copying")
class NettyCopyTransportTest extends TransportTest {
    @Override
    protected TransportProvider provider() {
        return new NettyTransportProvider();
    }

    @Override
    protected Map<String, String> settings() {
        return Map.of("jwarp.tcp.copy-limit", "1048576");
    }
}
