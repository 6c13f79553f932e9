package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.PEER_RESET;
import static dev.jwarp.llp.OperationStatus.RETRY_EXC_ERR;
import static dev.jwarp.llp.OperationStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
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
import java.net.UnknownHostException;
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

    @Tag("DG-4.3-1")
    @Tag("DG-4.4-5")
    @Tag("DG-11.2-1")
    @ParameterizedTest(name = "loss {0}, duplicates {1}, corruption {2}, delay up to {3} ms")
    @CsvSource({"0,0,0,1", "0.05,0.05,0.05,1", "0.3,0.1,0.05,5", "0,0,0.2,0"})
    void exactlyOnce(double loss, double duplication, double corruption, long millis) throws UnknownHostException {
        for (long seed = 1; seed <= 10; seed++) {
            SimNetwork net = new SimNetwork(seed);
            SimDatagrams lossy = new SimDatagrams(net);
            lossy.faults(new DatagramFaults(loss, duplication, corruption, 100_000, 100_000 + RdSim.millis(millis)));
            RdEngineHost a = new RdEngineHost(lossy, "192.0.2.1", 17, seed, 300, Map.of());
            RdEngineHost b = new RdEngineHost(lossy, "192.0.2.2", 18, seed + 100, 300, Map.of());
            RdEngineHost.until(net, () -> a.upper.lower != null && b.upper.lower != null, 10);
            a.post(b.handle(), 10, 20);
            b.post(a.handle(), 10, 20);
            String what = "seed " + seed;
            assertThat(RdEngineHost.until(net, () -> a.upper.allDone() && b.upper.allDone(), 120_000))
                    .as(what)
                    .isTrue();
            RdDeliveryTest.assertExactlyOnceInOrder(a.upper, b.upper, what);
            RdDeliveryTest.assertExactlyOnceInOrder(b.upper, a.upper, what);
            assertThat(a.counters.get(UdpCounter.RX_MALFORMED) + b.counters.get(UdpCounter.RX_MALFORMED))
                    .as(what)
                    .isZero();
            assertThat(a.counters.get(UdpCounter.RX_FLAGS) + b.counters.get(UdpCounter.RX_FLAGS))
                    .as(what)
                    .isZero();
        }
    }

    private RdEngineHost host(String address, int number) throws UnknownHostException {
        RdEngineHost host =
                new RdEngineHost(datagrams, address, number, number, 300, Map.of("jwarp.rd.give-up", "2000"));
        assertThat(RdEngineHost.until(network, () -> host.upper.lower != null, 10))
                .isTrue();
        return host;
    }

    @Tag("DG-11.1-1")
    @Tag("DG-11.1-7")
    @Test
    @DisplayName("a peer without an address handle at this side has to show a cookie first")
    void stranger() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        a.post(b.handle(), 2, 2);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        RdDeliveryTest.assertExactlyOnceInOrder(a.upper, b.upper, "a to b");
        assertThat(b.counters.get(UdpCounter.TX_CHALLENGE)).isEqualTo(1);
        assertThat(a.counters.get(UdpCounter.RX_REPLY_UNMATCHED)).isZero();
    }

    @Test
    @DisplayName("a violation is reported to its sender as a status with the code; other peers continue")
    void violation() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        RdEngineHost c = host("192.0.2.3", 19);
        b.upper.refusal = TerminateCode.DDP_BASE_BOUNDS;
        a.post(b.handle(), 1, 1);
        a.post(c.handle(), 1, 3);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(0).status).isEqualTo(OperationStatus.REM_ACCESS_ERR);
        assertThat(a.upper.succeeded()).isEqualTo(3);
        assertThat(b.counters.get(UdpCounter.TX_RD_RESET)).isEqualTo(1);
    }

    @Test
    @DisplayName("a sender waits for a receiver that is not ready, until the receiver's doorbell")
    void notReady() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        b.upper.receives = 2;
        a.post(b.handle(), 3, 5);
        RdEngineHost.until(network, a.upper::allDone, 5000);
        assertThat(a.upper.succeeded()).isEqualTo(2);
        b.upper.receives = 10;
        Objects.requireNonNull(b.upper.lower).ready();
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        RdDeliveryTest.assertExactlyOnceInOrder(a.upper, b.upper, "a to b");
    }

    @Tag("DG-11.1-14")
    @Test
    @DisplayName("a detached queue pair sends RD-RESET: PEER_RESET; a killed one: RETRY_EXC_ERR")
    void gone() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        b.upper.receives = 1;
        a.post(b.handle(), 1, 2);
        RdEngineHost.until(network, () -> a.upper.succeeded() == 1, 1000);
        Objects.requireNonNull(b.upper.lower).detach();
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(1).status).isEqualTo(PEER_RESET);
        a.post(b.handle(), 1, 1);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 10_000)).isTrue();
        assertThat(a.upper.messages.get(2).status).isEqualTo(RETRY_EXC_ERR);
    }

    @Tag("DG-11.1-13")
    @Test
    @DisplayName("a queue pair in the error state closes all its channels, and accepts none until it is resumed")
    void stopped() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        b.upper.receives = 1;
        a.post(b.handle(), 1, 2);
        RdEngineHost.until(network, () -> a.upper.succeeded() == 1, 1000);
        DatagramLowerLayer below = Objects.requireNonNull(b.upper.lower);
        below.stop(network.clock().nowNanos());
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(1).status).isEqualTo(PEER_RESET);
        assertThat(b.upper.lost).as("not notified of its own stop").isEmpty();
        b.upper.receives = 10;
        a.post(b.handle(), 1, 1);
        RdEngineHost.until(network, a.upper::allDone, 1000);
        assertThat(a.upper.messages.get(2).status).isNull();
        assertThat(b.counters.get(UdpCounter.RD_BUSY)).isPositive();
        below.resume();
        assertThat(RdEngineHost.until(network, a.upper::allDone, 2000)).isTrue();
        assertThat(a.upper.messages.get(2).status).isEqualTo(SUCCESS);
    }

    @Tag("DG-11.1-18")
    @Test
    @DisplayName("beyond 64 half-open channels an RD-OPEN needs a valid cookie, even from known peers")
    void wrongCookieBeyondTheLimit() throws UnknownHostException {
        RdEngineHost b = host("192.0.2.2", 18);
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
        RdEngineHost.until(network, () -> answers.size() == 80, 5);
        assertThat(answers).hasSize(80);
        assertThat(answers.stream().filter(Kind.CHALLENGE::equals)).hasSize(16);
    }

    @Tag("DG-11.1-14")
    @Test
    @DisplayName("a detached queue pair sends RD-RESET to each of its peers, however many there are")
    void leavesMany() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
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
        assertThat(RdEngineHost.until(network, () -> peers.stream().allMatch(RdUpper::allDone), 5000))
                .isTrue();
        Objects.requireNonNull(b.upper.lower).detach();
        RdEngineHost.until(network, () -> false, 5);
        assertThat(peers).allSatisfy(peer -> assertThat(peer.lost).hasSize(1));
        assertThat(b.counters.get(UdpCounter.TX_OVERFLOWED)).isZero();
    }

    @Test
    @DisplayName("a datagram that the system will never take closes the channel")
    void unsendable() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        DatagramPeer toB = b.handle();
        a.post(toB, 1, 1);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        datagrams.largestDatagram(200);
        a.post(toB, 1, 1);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(1).status).isEqualTo(OperationStatus.WR_FLUSH_ERR);
    }

    @Tag("DG-5.1-9")
    @Test
    @DisplayName("an RD-OPEN with a wrong Q_Key is dropped")
    void wrongKey() throws UnknownHostException {
        RdEngineHost a = host("192.0.2.1", 17);
        RdEngineHost b = host("192.0.2.2", 18);
        DatagramAddress there = DatagramAddress.of(new InetSocketAddress(
                b.port.localAddress().getAddress(), b.port.localAddress().getPort()));
        a.post(new DatagramPeer().set(there, 18, RdEngineHost.KEY + 1, 1472), 1, 1);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 10_000)).isTrue();
        assertThat(a.upper.messages.get(0).status).isEqualTo(RETRY_EXC_ERR);
        assertThat(b.counters.get(UdpCounter.RX_KEY)).isEqualTo(8);
    }
}
