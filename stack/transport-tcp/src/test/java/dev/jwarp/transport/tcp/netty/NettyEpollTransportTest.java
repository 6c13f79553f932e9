package dev.jwarp.transport.tcp.netty;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TransportTest;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("tcp-netty, epoll")
class NettyEpollTransportTest extends TransportTest {
    @Override
    protected TransportProvider provider() {
        return new NettyTransportProvider();
    }

    @Override
    protected Map<String, String> settings() {
        return Map.of();
    }
}
