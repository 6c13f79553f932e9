package dev.jwarp.transport.udp.netty;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.SettingText;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.DatagramTransportTest;
import dev.jwarp.transport.udp.net.NotRun;
import dev.jwarp.transport.udp.net.UdpContext;
import io.netty.channel.epoll.Epoll;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Data goes through Netty's own calls, as if the descriptor of a port's channel were not found. */
class EpollWithoutChannelsTransportTest extends DatagramTransportTest {
    EpollWithoutChannelsTransportTest() {
        super(new WithoutChannels(), Map.of());
    }

    @Override
    protected boolean answersFromEachAddress() {
        return false;
    }

    @Override
    protected boolean toldWhereItWasAsked() {
        return false;
    }

    private static final class WithoutChannels implements DatagramTransportProvider {
        @Override
        public String name() {
            return "netty";
        }

        @Override
        public boolean inline() {
            return false;
        }

        @Override
        public List<SettingText> settings() {
            return UdpSetting.all();
        }

        @Override
        public DatagramTransport open(Map<String, String> settings, @Nullable GivenLoops loops) {
            NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
            UdpSettings checked = UdpSettings.of(settings);
            UdpContext context = new UdpContext(checked, 0, () -> 0);
            return NettyDatagramTransportProvider.open(context, null, false);
        }
    }
}
