package dev.jwarp.sockets.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Datagrams that have come")
class ArrivalsTest {
    private static final SocketPeer FROM = new SocketPeer(new InetSocketAddress("192.0.2.1", 9), DatagramMode.IWARP);

    private final Arrivals arrivals = new Arrivals(1_000);

    @Test
    @DisplayName("are read in their order, and used again")
    void order() {
        arrivals.add(3, null, 10, FROM);
        arrivals.add(-1, new byte[20], 20, FROM);
        Arrivals.Arrival first = Objects.requireNonNull(arrivals.poll());
        assertThat(first.slot).isEqualTo(3);
        assertThat(first.from).isSameAs(FROM);
        arrivals.done(first);
        assertThat(Objects.requireNonNull(arrivals.poll()).length).isEqualTo(20);
        assertThat(arrivals.poll()).isNull();
        assertThat(arrivals.isEmpty()).isTrue();
        arrivals.add(4, null, 1, FROM);
        assertThat(arrivals.poll()).isSameAs(first);
    }

    @Test
    @DisplayName("are bounded in bytes, 64 more for each; the first always has room")
    void bounded() {
        assertThat(arrivals.hasRoom(65_507)).isTrue();
        arrivals.add(0, null, 436, FROM);
        assertThat(arrivals.hasRoom(436)).isTrue();
        assertThat(arrivals.hasRoom(437)).isFalse();
        arrivals.add(1, null, 436, FROM);
        assertThat(arrivals.hasRoom(0)).isFalse();
        arrivals.poll();
        assertThat(arrivals.hasRoom(436)).isTrue();
    }
}
