package dev.jwarp.transport.udp.netty;

import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.DatagramTransportTest;
import dev.jwarp.transport.udp.net.NotRun;
import dev.jwarp.transport.udp.net.UdpContext;
import io.netty.channel.epoll.Epoll;
import java.util.Map;

/** Data goes through Netty's own calls, as if the descriptor of a port's channel were not found. */
class EpollWithoutChannelsTransportTest extends DatagramTransportTest {
    EpollWithoutChannelsTransportTest() {
        super(new NettyDatagramTransportProvider(), Map.of());
    }

    @Override
    protected boolean answersFromEachAddress() {
        return false;
    }

    @Override
    protected boolean toldWhereItWasAsked() {
        return false;
    }

    @Override
    protected DatagramTransport open(Map<String, String> settings) {
        NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
        UdpContext context = new UdpContext(UdpSettings.of(settings), 0, () -> 0);
        return NettyDatagramTransportProvider.open(context, null, false);
    }
}
