package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.PEER_RESET;
import static dev.jwarp.llp.OperationStatus.RETRY_EXC_ERR;
import static dev.jwarp.llp.OperationStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdOpenBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Reliable queue pairs on complete engines")
class RdEngineTest {
    private final SimNetwork network = new SimNetwork(1);
    private final SimDatagrams datagrams = new SimDatagrams(network);
    private final RdEngineHost a = host("192.0.2.1", 17);
    private final RdEngineHost b = host("192.0.2.2", 18);

    private RdEngineHost host(String address, int number) {
        return new RdEngineHost(datagrams, address, number, number, Map.of("jwarp.rd.give-up", "2000"));
    }

    @Tag("DG-4.3-1")
    @Tag("DG-4.4-5")
    @Tag("DG-11.2-1")
    @ParameterizedTest(name = "loss {0}, duplicates {1}, corruption {2}, delay up to {3} ms")
    @CsvSource({"0,0,0,1", "0.05,0.05,0.05,1", "0.3,0.1,0.05,5", "0,0,0.2,0"})
    void exactlyOnce(double loss, double duplication, double corruption, long millis) {
        for (long seed = 1; seed <= 10; seed++) {
            SimDatagrams lossy = new SimDatagrams(new SimNetwork(seed));
            lossy.faults(new DatagramFaults(loss, duplication, corruption, 100_000, 100_000 + RdSim.millis(millis)));
            RdEngineHost c = new RdEngineHost(lossy, "192.0.2.1", 17, seed, Map.of());
            RdEngineHost d = new RdEngineHost(lossy, "192.0.2.2", 18, seed + 100, Map.of());
            c.post(d.handle(), 10, 20);
            d.post(c.handle(), 10, 20);
            c.settle(120_000);
            d.settle(120_000);
            String what = "seed " + seed;
            c.upper.assertDelivered(d.upper, what);
            d.upper.assertDelivered(c.upper, what);
            for (RdEngineHost host : List.of(c, d)) {
                assertThat(host.counters.get(UdpCounter.RX_MALFORMED)).as(what).isZero();
                assertThat(host.counters.get(UdpCounter.RX_FLAGS)).as(what).isZero();
            }
        }
    }

    @Tag("DG-11.1-1")
    @Tag("DG-11.1-7")
    @Test
    @DisplayName("a peer without an address handle at this side has to show a cookie first")
    void stranger() {
        a.post(b.handle(), 2, 2);
        a.settle(1000);
        a.upper.assertDelivered(b.upper, "a to b");
        assertThat(b.counters.get(UdpCounter.TX_CHALLENGE)).isEqualTo(1);
        assertThat(a.counters.get(UdpCounter.RX_REPLY_UNMATCHED)).isZero();
    }

    @Test
    @DisplayName("a violation is reported to its sender as a status with the code; other peers continue")
    void violation() {
        RdEngineHost c = host("192.0.2.3", 19);
        b.upper.refusal = TerminateCode.DDP_BASE_BOUNDS;
        a.post(b.handle(), 1, 1);
        a.post(c.handle(), 1, 3);
        a.settle(1000);
        assertThat(a.upper.messages.get(0).status).isEqualTo(OperationStatus.REM_ACCESS_ERR);
        assertThat(a.upper.succeeded()).isEqualTo(3);
        assertThat(b.counters.get(UdpCounter.TX_RD_RESET)).isEqualTo(1);
    }

    @Test
    @DisplayName("a sender waits for a receiver that is not ready, until the receiver's doorbell")
    void notReady() {
        b.upper.receives = 2;
        a.post(b.handle(), 3, 5);
        network.runFor(RdSim.millis(5000));
        assertThat(a.upper.succeeded()).isEqualTo(2);
        b.upper.receives = 10;
        b.lower().ready();
        a.settle(1000);
        a.upper.assertDelivered(b.upper, "a to b");
    }

    @Tag("DG-11.1-14")
    @Test
    @DisplayName("a detached queue pair sends RD-RESET: PEER_RESET; a killed one: RETRY_EXC_ERR")
    void gone() {
        b.upper.receives = 1;
        a.post(b.handle(), 1, 2);
        a.await(() -> a.upper.succeeded() == 1, 1000);
        b.lower().detach();
        a.settle(1000);
        assertThat(a.upper.messages.get(1).status).isEqualTo(PEER_RESET);
        a.post(b.handle(), 1, 1);
        a.settle(10_000);
        assertThat(a.upper.messages.get(2).status).isEqualTo(RETRY_EXC_ERR);
    }

    @Tag("DG-11.1-13")
    @Test
    @DisplayName("a queue pair in the error state closes all its channels, and accepts none until it is resumed")
    void stopped() {
        b.upper.receives = 1;
        a.post(b.handle(), 1, 2);
        a.await(() -> a.upper.succeeded() == 1, 1000);
        b.lower().stop(network.clock().nowNanos());
        a.settle(1000);
        assertThat(a.upper.messages.get(1).status).isEqualTo(PEER_RESET);
        assertThat(b.upper.lost).as("not notified of its own stop").isEmpty();
        b.upper.receives = 10;
        a.post(b.handle(), 1, 1);
        network.runFor(RdSim.millis(1000));
        assertThat(a.upper.messages.get(2).status).isNull();
        assertThat(b.counters.get(UdpCounter.RD_BUSY)).isPositive();
        b.lower().resume();
        a.settle(2000);
        assertThat(a.upper.messages.get(2).status).isEqualTo(SUCCESS);
    }

    @Tag("DG-11.1-18")
    @Test
    @DisplayName("beyond 64 half-open channels an RD-OPEN needs a valid cookie, even from known peers")
    void wrongCookieBeyondTheLimit() {
        InetSocketAddress forged = new InetSocketAddress("192.0.2.9", 4000);
        b.port.trust(DatagramAddress.of(forged));
        List<Kind> answers = new ArrayList<>();
        datagrams.socket(forged, (from, octets) -> answers.add(Kind.of(octets.get(octets.position()) & 0xf)));
        for (int i = 0; i < 80; i++) {
            int extension = i < 64 ? 0 : 16;
            ByteBuffer open = ByteBuffer.allocate(ShimHeader.LENGTH + extension + RdOpenBody.LENGTH + Crc.LENGTH);
            Shim shim = new Shim().addressed(18, 1000 + i, RdEngineHost.KEY).message(i, RdOpenBody.LENGTH);
            ShimHeader.write(open, 0, Kind.RD_OPEN, shim, extension == 0 ? 0 : ShimHeader.COOKIE);
            RdOpenBody body = new RdOpenBody();
            body.wrap(open, ShimHeader.LENGTH + extension);
            body.set(1 + i, 0, 0, 16);
            new Crc().seal(open, 0, ShimHeader.LENGTH + extension + RdOpenBody.LENGTH);
            datagrams.send(forged, b.port.localAddress(), open);
        }
        b.await(() -> answers.size() == 80, 5);
        assertThat(answers.stream().filter(Kind.CHALLENGE::equals)).hasSize(16);
    }

    @Tag("DG-11.1-14")
    @Test
    @DisplayName("a detached queue pair sends RD-RESET to each of its peers, however many there are")
    void leavesMany() {
        b.port.trust(DatagramAddress.of(a.port.localAddress()));
        a.port.trust(DatagramAddress.of(b.port.localAddress()));
        List<RdUpper> peers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            RdUpper peer = new RdUpper(100 + i, network.clock()::nowNanos);
            a.port.attach(DatagramService.RD, 100 + i, RdEngineHost.KEY, false, peer);
            peer.post(b.handle(), 1);
            Objects.requireNonNull(peer.lower).doorbell();
            peers.add(peer);
        }
        b.await(() -> peers.stream().allMatch(RdUpper::allDone), 5000);
        b.lower().detach();
        network.runFor(RdSim.millis(5));
        assertThat(peers).allSatisfy(peer -> assertThat(peer.lost).hasSize(1));
        assertThat(b.counters.get(UdpCounter.TX_OVERFLOWED)).isZero();
    }

    @Test
    @DisplayName("a datagram that the system will never take closes the channel")
    void unsendable() {
        DatagramPeer toB = b.handle();
        a.post(toB, 1, 1);
        a.settle(1000);
        datagrams.largestDatagram(200);
        a.post(toB, 1, 1);
        a.settle(1000);
        assertThat(a.upper.messages.get(1).status).isEqualTo(OperationStatus.WR_FLUSH_ERR);
    }

    @Tag("DG-5.1-9")
    @Test
    @DisplayName("an RD-OPEN with a wrong Q_Key is dropped")
    void wrongKey() {
        DatagramAddress there = DatagramAddress.of(b.port.localAddress());
        a.post(new DatagramPeer().set(there, 18, RdEngineHost.KEY + 1, 1472), 1, 1);
        a.settle(10_000);
        assertThat(a.upper.messages.get(0).status).isEqualTo(RETRY_EXC_ERR);
        assertThat(b.counters.get(UdpCounter.RX_KEY)).isEqualTo(8);
    }
}
