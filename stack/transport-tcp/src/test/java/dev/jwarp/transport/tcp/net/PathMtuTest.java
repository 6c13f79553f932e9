package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The largest TCP segment is estimated")
class PathMtuTest {
    private final PathMtu pathMtu = new PathMtu();

    @Tag("MPA-5.1-1")
    @Test
    @DisplayName("from the MTU of the loopback interface, for all its addresses")
    void loopback() throws Exception {
        InetAddress usual = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        int mtu = NetworkInterface.getByInetAddress(usual).getMTU();
        assertThat(pathMtu.segmentSize(usual)).isEqualTo(mtu - 52);
        assertThat(pathMtu.segmentSize(InetAddress.getByName("127.3.2.1"))).isEqualTo(mtu - 52);
    }

    @Test
    @DisplayName("as Ethernet's for an address that no interface has, with IPv4 and IPv6")
    void unknown() throws Exception {
        assertThat(pathMtu.segmentSize(InetAddress.getByName("192.0.2.1"))).isEqualTo(1448);
        assertThat(pathMtu.segmentSize(InetAddress.getByName("2001:db8::1"))).isEqualTo(1428);
    }
}
