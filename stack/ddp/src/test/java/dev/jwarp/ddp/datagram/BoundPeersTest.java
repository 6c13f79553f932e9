package dev.jwarp.ddp.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** datagram-iWARP §9: a region can be bound to peers. */
class BoundPeersTest {
    private static DatagramPeer peer(int host, int queuePair) {
        return new DatagramPeer().set(address(host), queuePair, 0, 1472);
    }

    private static DatagramAddress address(int host) {
        return new DatagramAddress().setIpv4(host, 4791);
    }

    @Test
    void admitsTheQueuePairsItWasMadeOf() {
        DatagramPeer first = peer(1, 20);
        BoundPeers peers = new BoundPeers(List.of(first, peer(2, 0)));
        first.set(address(9), 20, 0, 1472);
        assertThat(peers.admits(address(1), 20)).isTrue();
        assertThat(peers.admits(address(1), 21)).isFalse();
        assertThat(peers.admits(address(9), 20)).isFalse();
        assertThat(peers.admits(address(2), 33))
                .as("any queue pair of the default one's address")
                .isTrue();
    }

    @Test
    void aWindowHasThePeersOfItsRegionUnlessItHasItsOwn() {
        STagTable table = new STagTable(new Random(1), 10);
        TaggedBuffer region = table.register(1, ByteBuffer.allocateDirect(10), 0, Access.MW_BIND | Access.LOCAL_WRITE);
        TaggedBuffer window = table.registerWindow(region, 0, 0, 10, 0, Access.REMOTE_READ);
        assertThat(window.peers()).isNull();
        BoundPeers peers = new BoundPeers(List.of(peer(1, 20)));
        region.bindTo(peers);
        assertThat(window.peers()).isSameAs(peers);
        BoundPeers own = new BoundPeers(List.of());
        window.bindTo(own);
        assertThat(window.peers()).isSameAs(own);
        assertThat(region.peers()).isSameAs(peers);
    }
}
