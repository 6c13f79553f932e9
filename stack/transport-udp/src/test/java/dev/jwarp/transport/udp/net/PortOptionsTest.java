package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The socket of a port has the options of the settings:")
class PortOptionsTest {
    private static final int ECN_FIELD = 3; // RFC 3168 §5

    private static <T> T option(String setting, String value, SocketOption<T> option) throws IOException {
        UdpContext context = new UdpContext(UdpSettings.of(Map.of(setting, value)), 0, () -> 0);
        try (DatagramChannel channel =
                new DatagramChannels(context).openPort(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            return channel.getOption(option);
        }
    }

    @Test
    @DisplayName("broadcast")
    void broadcast() throws IOException {
        assertThat(option("jwarp.udp.broadcast", "off", StandardSocketOptions.SO_BROADCAST))
                .isFalse();
        assertThat(option("jwarp.udp.broadcast", "on", StandardSocketOptions.SO_BROADCAST))
                .isTrue();
    }

    @Test
    @DisplayName("hop limit and loopback of multicast")
    void groups() throws IOException {
        assertThat(option("jwarp.udp.multicast-ttl", "9", StandardSocketOptions.IP_MULTICAST_TTL))
                .isEqualTo(9);
        assertThat(option("jwarp.udp.multicast-loop", "off", StandardSocketOptions.IP_MULTICAST_LOOP))
                .isFalse();
        assertThat(option("jwarp.udp.multicast-loop", "on", StandardSocketOptions.IP_MULTICAST_LOOP))
                .isTrue();
    }

    @Tag("DG-11.4-10")
    @Test
    @DisplayName("whatever these are, its datagrams are Not-ECT")
    void notEct() throws IOException {
        for (String setting : List.of("jwarp.udp.broadcast", "jwarp.progress.shared-port")) {
            assertThat(option(setting, "on", StandardSocketOptions.IP_TOS) & ECN_FIELD)
                    .isZero();
        }
    }

    @Test
    @DisplayName("the sizes of buffers")
    void buffers() throws IOException {
        assertThat(option("jwarp.udp.send-buffer", "131072", StandardSocketOptions.SO_SNDBUF))
                .isEqualTo(2 * option("jwarp.udp.send-buffer", "65536", StandardSocketOptions.SO_SNDBUF));
        assertThat(option("jwarp.udp.receive-buffer", "131072", StandardSocketOptions.SO_RCVBUF))
                .isEqualTo(2 * option("jwarp.udp.receive-buffer", "65536", StandardSocketOptions.SO_RCVBUF));
    }
}
