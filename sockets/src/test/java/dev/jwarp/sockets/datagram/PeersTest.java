package dev.jwarp.sockets.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The peers that a datagram socket remembers")
class PeersTest {
    private final Peers peers = new Peers(address -> DatagramMode.EITHER);

    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(address, port);
    }

    @Test
    @DisplayName("are kept whatever arrives from the ports of one address")
    void oneAddress() {
        peers.at(at("192.0.2.2", 9)).spokePlain();
        for (int port = 1; port <= 3 * Peers.MOST; port++) {
            peers.at(at("192.0.2.1", port));
            assertThat(peers.count()).isLessThanOrEqualTo(Peers.MOST);
        }
        assertThat(peers.at(at("192.0.2.2", 9)).plain(0)).isTrue();
        assertThat(peers.knows(at("192.0.2.1", 3 * Peers.MOST))).isTrue();
        assertThat(peers.knows(at("192.0.2.1", 1)))
                .as("the longest silent peer")
                .isFalse();
    }

    @Test
    @DisplayName("are forgotten by the longest silence if no address has more than one")
    void all() {
        InetSocketAddress first = at("10.0.0.1", 9);
        InetSocketAddress second = at("10.0.0.2", 9);
        peers.at(first);
        peers.at(second);
        for (int i = 0; i < Peers.MOST - 2; i++) {
            peers.at(at("10.1." + i / 250 + "." + (1 + i % 250), 9));
        }
        peers.at(first);
        peers.at(at("10.0.0.3", 9));
        assertThat(peers.count()).isEqualTo(Peers.MOST);
        assertThat(peers.knows(first)).isTrue();
        assertThat(peers.knows(second)).isFalse();
    }
}
