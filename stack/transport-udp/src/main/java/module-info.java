/** The UDP transport: datagram-iWARP below DDP (docs/datagram-iwarp.md). */
module dev.jwarp.transport.udp {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.base;
    requires dev.jwarp.ddp;
    requires dev.jwarp.io;
    requires transitive dev.jwarp.llp;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires org.slf4j;

    exports dev.jwarp.transport.udp;

    uses dev.jwarp.transport.udp.net.AskedSocket.Opener;
    uses dev.jwarp.transport.udp.net.KernelSegments.Finder;

    provides dev.jwarp.transport.udp.net.AskedSocket.Opener with
            dev.jwarp.transport.udp.netty.AskedChannel.OwnThread;
    provides dev.jwarp.transport.udp.net.KernelSegments.Finder with
            dev.jwarp.transport.udp.netty.DescriptorSegments.DescriptorFinder;
    provides dev.jwarp.llp.datagram.DatagramTransportProvider with
            dev.jwarp.transport.udp.netty.NettyDatagramTransportProvider,
            dev.jwarp.transport.udp.net.NioDatagramTransportProvider;
}
