package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.transport.tcp.TcpCounter;

/** For tests outside this package. */
final class NioCounters {
    private NioCounters() {}

    static long count(Transport transport, TcpCounter counter) {
        return ((NioTransport) transport).counters().get(counter);
    }
}
