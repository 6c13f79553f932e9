package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisplayName("A shared port")
@EnabledOnOs(OS.LINUX)
class SharedPortTest {
    private static final int SOCKETS = 500;

    private static DatagramChannels sockets(String shared) {
        return new DatagramChannels(
                new UdpContext(UdpSettings.of(Map.of("jwarp.progress.shared-port", shared)), 0, () -> 0));
    }

    @Test
    @DisplayName("is not searched by its address: options might be set on another socket")
    void descriptor() throws Exception {
        DatagramChannels sharing = sockets("on");
        try (DatagramChannel one = sharing.openPort(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            InetSocketAddress address = (InetSocketAddress) one.getLocalAddress();
            assertThat(sockets("off").segments(address)).isNotNull();
            try (DatagramChannel other = sharing.openPort(address)) {
                assertThat(other.getLocalAddress()).isEqualTo(address);
                assertThat(sharing.segments(address)).isNull();
            }
        }
    }

    @RepeatedTest(3)
    @DisplayName("is unused by other sockets if the program asks for any port")
    void anyPort() throws Exception {
        DatagramChannels sharing = sockets("on");
        List<DatagramChannel> all = new ArrayList<>();
        try {
            Set<SocketAddress> addresses = new HashSet<>();
            for (int i = 0; i < SOCKETS; i++) {
                DatagramChannel one = sharing.openPort(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                all.add(one);
                addresses.add(one.getLocalAddress());
            }
            assertThat(addresses).hasSize(SOCKETS);
        } finally {
            for (DatagramChannel one : all) {
                one.close();
            }
        }
    }
}
