package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Addresses for sockets")
class SocketAddressesTest {
    private static final int FIRST_PORT = 30_000;

    private static DatagramAddress loopback(int port) {
        return DatagramAddress.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    @Test
    @DisplayName("match the numeric ones, and are allocated once for two alternating peers, whatever their ports")
    void twoInTurn() {
        DatagramAddress one = loopback(FIRST_PORT);
        for (int port = FIRST_PORT + 1; port < FIRST_PORT + 5_000; port++) {
            SocketAddresses addresses = new SocketAddresses();
            DatagramAddress other = loopback(port);
            InetSocketAddress first = addresses.of(one);
            InetSocketAddress second = addresses.of(other);
            assertThat(first).isEqualTo(one.toSocketAddress());
            assertThat(second).isEqualTo(other.toSocketAddress());
            assertThat(addresses.of(one)).as("beside port %d", port).isSameAs(first);
            assertThat(addresses.of(other)).isSameAs(second);
        }
    }
}
