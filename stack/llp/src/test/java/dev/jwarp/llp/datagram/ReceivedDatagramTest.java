package dev.jwarp.llp.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A datagram that the layers pass on")
class ReceivedDatagramTest {
    private static final DatagramAddress HERE = new DatagramAddress().setIpv4(0xc000_0201, 1);
    private static final DatagramAddress THERE = new DatagramAddress().setIpv4(0xc000_0202, 2);

    private final DatagramPeer peer = new DatagramPeer().set(THERE, 17, 0, 0);
    private final ReceivedDatagram datagram = new ReceivedDatagram();

    @Test
    @DisplayName("through a channel has the address of its peer, which is proved")
    void throughChannel() {
        datagram.from(HERE).through(peer);
        assertThat(datagram.peer()).isSameAs(peer);
        assertThat(datagram.source()).isEqualTo(THERE);
        assertThat(datagram.proof()).isEqualTo(AddressProof.DATAGRAM);
    }

    @Test
    @DisplayName("has neither the channel nor the proof of the previous datagram")
    void beginsAnew() {
        datagram.through(peer).from(HERE);
        assertThat(datagram.peer()).isNull();
        assertThat(datagram.source()).isEqualTo(HERE);
        assertThat(datagram.proof()).isEqualTo(AddressProof.NONE);
    }

    @Test
    @DisplayName("has no references after it is cleared")
    void cleared() {
        ByteBuffer memory = ByteBuffer.allocate(8);
        datagram.through(peer).body(memory, 3, 5);
        assertThat(datagram.offset()).isEqualTo(3);
        assertThat(datagram.length()).isEqualTo(5);
        datagram.clear();
        assertThat(datagram.peer()).isNull();
        assertThat(datagram.source()).isEqualTo(new DatagramAddress());
        assertThat(datagram.buffer()).isNotSameAs(memory);
        assertThat(datagram.length()).isZero();
    }
}
