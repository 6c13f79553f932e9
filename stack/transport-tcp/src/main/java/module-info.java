/** The TCP transport: MPA over TCP, driven by java.nio or by Netty. */
module dev.jwarp.transport.tcp {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.base;
    requires dev.jwarp.io;
    requires transitive dev.jwarp.llp;
    requires transitive dev.jwarp.mpa;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires jdk.net;
    requires org.slf4j;

    exports dev.jwarp.transport.tcp;

    provides dev.jwarp.llp.TransportProvider with
            dev.jwarp.transport.tcp.netty.NettyTransportProvider,
            dev.jwarp.transport.tcp.net.NioTransportProvider;
}
