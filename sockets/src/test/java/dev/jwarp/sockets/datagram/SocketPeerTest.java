package dev.jwarp.sockets.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A peer of a datagram socket")
class SocketPeerTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("192.0.2.1", 9);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SocketPeer peer = new SocketPeer(ADDRESS, DatagramMode.EITHER);

    @Test
    @DisplayName("gets plain datagrams after it has sent one, until it sends datagram-iWARP")
    void answered() {
        assertThat(peer.plain(0)).isFalse();
        assertThat(peer.spokePlain()).isTrue();
        assertThat(peer.plain(2)).isTrue();
        peer.spoke();
        assertThat(peer.plain(4)).isFalse();
    }

    @Test
    @DisplayName("with datagram-iWARP by the rules never gets plain datagrams, even if others forge them in its name")
    void onlyIwarp() {
        SocketPeer strict = new SocketPeer(ADDRESS, DatagramMode.IWARP);
        assertThat(strict.spokePlain()).isFalse();
        assertThat(strict.plain(2)).isFalse();
    }

    @Test
    @DisplayName(
            "with either protocol gets plain datagrams if it does not answer within a second after the first datagram")
    void either() {
        SocketPeer either = new SocketPeer(ADDRESS, DatagramMode.EITHER);
        assertThat(either.plain(10 * SECOND)).as("not asked yet").isFalse();
        either.asked(10 * SECOND);
        either.asked(11 * SECOND);
        assertThat(either.plain(11 * SECOND)).isFalse();
        assertThat(either.plain(11 * SECOND + 1)).isTrue();
        either.spoke();
        assertThat(either.plain(99 * SECOND)).isFalse();
    }

    @Test
    @DisplayName("with plain UDP by the rules always gets plain datagrams")
    void byRule() {
        SocketPeer plain = new SocketPeer(ADDRESS, DatagramMode.PLAIN);
        assertThat(plain.plain(0)).isTrue();
        plain.spoke();
        assertThat(plain.plain(2)).isTrue();
    }
}
