package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.transport.tcp.TcpCounter;

/** For tests outside this package. */
final class NettyCounters {
    private NettyCounters() {}

    static long count(Transport transport, TcpCounter counter) {
        return ((NettyTransport) transport).counters().get(counter);
    }
}
