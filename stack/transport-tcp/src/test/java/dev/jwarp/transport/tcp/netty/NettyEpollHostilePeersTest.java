package dev.jwarp.transport.tcp.netty;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.HostilePeersTest;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("tcp-netty, epoll, against hostile peers")
class NettyEpollHostilePeersTest extends HostilePeersTest {
    @Override
    protected TransportProvider provider() {
        return new NettyTransportProvider();
    }

    @Override
    protected Map<String, String> settings() {
        return Map.of();
    }
}
