package dev.jwarp.sockets.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Unread datagrams")
class ArrivalsTest {
    private final SocketPeer from = peer("192.0.2.1", 9);

    private static SocketPeer peer(String address, int port) {
        return new SocketPeer(new InetSocketAddress(address, port), DatagramMode.IWARP);
    }

    private final List<Integer> freed = new ArrayList<>();
    private final Arrivals arrivals = new Arrivals(1_000, freed::add);

    @Test
    @DisplayName("are read in order, and their objects are reused")
    void order() {
        come(3, 10, from);
        come(-1, 20, from);
        Arrivals.Arrival first = Objects.requireNonNull(arrivals.poll());
        assertThat(first.slot).isEqualTo(3);
        assertThat(first.from).isSameAs(from);
        arrivals.done(first);
        assertThat(Objects.requireNonNull(arrivals.poll()).length).isEqualTo(20);
        assertThat(arrivals.poll()).isNull();
        assertThat(arrivals.isEmpty()).isTrue();
        come(4, 1, from);
        assertThat(arrivals.poll()).isSameAs(first);
    }

    /** {@return whether there was room} */
    private boolean come(int slot, int length, SocketPeer peer) {
        boolean room = arrivals.hasRoom(length, peer);
        if (room) {
            arrivals.add(slot, slot < 0 ? new byte[length] : null, length, peer);
        }
        return room;
    }

    @Test
    @DisplayName("are limited in bytes, with 64 more for each; the first always has room")
    void bounded() {
        assertThat(come(0, 65_507, from)).isTrue();
        arrivals.poll();
        assertThat(come(0, 436, from)).isTrue();
        assertThat(come(1, 437, from)).isFalse();
        assertThat(come(1, 436, from)).isTrue();
        assertThat(come(2, 0, from)).isFalse();
        arrivals.poll();
        assertThat(come(2, 436, from)).isTrue();
        assertThat(freed).isEmpty();
    }

    @Test
    @DisplayName(
            "of a flooding address, from any ports, are displaced by those of others, the oldest first, but not by its own")
    void flood() {
        SocketPeer good = peer("192.0.2.2", 9);
        for (int i = 0; i < 10; i++) {
            assertThat(come(i, 36, peer("192.0.2.1", i + 1))).isTrue();
        }
        assertThat(come(10, 36, from)).isFalse();
        assertThat(come(11, 36, good)).isTrue();
        assertThat(come(12, 136, good)).isTrue();
        assertThat(freed).containsExactly(0, 1, 2);
        assertThat(come(13, 900, good)).as("more than the flood has").isFalse();
        List<Integer> read = new ArrayList<>();
        for (Arrivals.Arrival one = arrivals.poll(); one != null; one = arrivals.poll()) {
            read.add(one.slot);
        }
        assertThat(read).endsWith(9, 11, 12);
        assertThat(come(14, 936, from)).as("all bytes are free again").isTrue();
    }
}
