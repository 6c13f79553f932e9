package dev.jwarp.transport.udp.rd;

import static dev.jwarp.ddp.OperationStatus.PEER_RESET;
import static dev.jwarp.ddp.OperationStatus.RETRY_EXC_ERR;
import static dev.jwarp.ddp.OperationStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.OperationStatus;
import dev.jwarp.ddp.TerminateCode;
import dev.jwarp.ddp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.ddp.llp.datagram.DatagramService;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.ddp.llp.sim.DatagramFaults;
import dev.jwarp.ddp.llp.sim.SimDatagramTransport;
import dev.jwarp.ddp.llp.sim.SimDatagrams;
import dev.jwarp.ddp.llp.sim.SimNetwork;
import dev.jwarp.transport.udp.Crc;
import dev.jwarp.transport.udp.Kind;
import dev.jwarp.transport.udp.RdOpenBody;
import dev.jwarp.transport.udp.ShimHeader;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpEngineFactory;
import dev.jwarp.transport.udp.UdpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Reliable queue pairs on whole engines, octets and all")
class RdEngineTest {
    private static final int KEY = 0x1234;

    /** A reliable queue pair at a port of a host of its own. */
    private static final class Host {
        final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
        final SimDatagramTransport transport;
        final DatagramPort port;
        final RdUpper upper;
        final int number;

        Host(SimDatagrams datagrams, String address, int number, long seed, Map<String, String> settings)
                throws UnknownHostException {
            this.number = number;
            UdpEngineFactory engines =
                    new UdpEngineFactory(UdpSettings.of(settings), counters, RdQueuePair::open, new Random(seed));
            transport = datagrams.host(InetAddress.getByName(address), engines);
            port = transport.open(transport.address(4000));
            upper = new RdUpper(number, datagrams.network().clock()::nowNanos);
            upper.segment = 300;
            attach(upper);
        }

        void attach(RdUpper above) {
            port.attach(DatagramService.RD, number, KEY, false, above);
        }

        DatagramPeer handle() {
            return new DatagramPeer().set(DatagramAddress.of(port.localAddress()), number, KEY, 1472);
        }

        void post(DatagramPeer to, int segments, int count) {
            port.trust(to.address());
            upper.post(to, segments, count);
            Objects.requireNonNull(upper.lower).doorbell();
        }
    }

    private final SimNetwork network = new SimNetwork(1);
    private final SimDatagrams datagrams = new SimDatagrams(network);

    private static boolean until(SimNetwork in, BooleanSupplier done, long millis) {
        for (long left = millis; left > 0 && !done.getAsBoolean(); left--) {
            in.runFor(RdSim.millis(1));
        }
        return done.getAsBoolean();
    }

    private static void assertExactlyOnceInOrder(Host from, Host to, String what) {
        List<Long> expected = new ArrayList<>();
        for (RdUpper.Message message : from.upper.messages) {
            assertThat(message.status).as(what).isEqualTo(SUCCESS);
            for (int i = 0; i < message.segments; i++) {
                expected.add(RdUpper.mark(message.number, i));
            }
        }
        assertThat(to.upper.received.getOrDefault(from.upper.incarnation, List.of()))
                .as(what)
                .isEqualTo(expected);
    }

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
            Host a = new Host(lossy, "192.0.2.1", 17, seed, Map.of());
            Host b = new Host(lossy, "192.0.2.2", 18, seed + 100, Map.of());
            until(net, () -> a.upper.lower != null && b.upper.lower != null, 10);
            a.post(b.handle(), 10, 20);
            b.post(a.handle(), 10, 20);
            String what = "seed " + seed;
            assertThat(until(net, () -> a.upper.allDone() && b.upper.allDone(), 120_000))
                    .as(what)
                    .isTrue();
            assertExactlyOnceInOrder(a, b, what);
            assertExactlyOnceInOrder(b, a, what);
            assertThat(a.counters.get(UdpCounter.RX_MALFORMED) + b.counters.get(UdpCounter.RX_MALFORMED))
                    .as(what)
                    .isZero();
            assertThat(a.counters.get(UdpCounter.RX_FLAGS) + b.counters.get(UdpCounter.RX_FLAGS))
                    .as(what)
                    .isZero();
        }
    }

    private Host host(String address, int number) throws UnknownHostException {
        Host host = new Host(datagrams, address, number, number, Map.of("jwarp.rd.give-up", "2000"));
        assertThat(until(network, () -> host.upper.lower != null, 10)).isTrue();
        return host;
    }

    @Tag("DG-11.1-1")
    @Tag("DG-11.1-7")
    @Test
    @DisplayName("a peer that this side has no handle of has to show a cookie first")
    void stranger() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        a.post(b.handle(), 2, 2);
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        assertExactlyOnceInOrder(a, b, "a to b");
        assertThat(b.counters.get(UdpCounter.TX_CHALLENGE)).isEqualTo(1);
        assertThat(a.counters.get(UdpCounter.RX_REPLY_UNMATCHED)).isZero();
    }

    @Test
    @DisplayName("a violation reaches its author as a status, with the code; another peer goes on")
    void violation() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        Host c = host("192.0.2.3", 19);
        b.upper.refusal = TerminateCode.DDP_BASE_BOUNDS;
        a.post(b.handle(), 1, 1);
        a.post(c.handle(), 1, 3);
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(0).status).isEqualTo(OperationStatus.REM_ACCESS_ERR);
        assertThat(a.upper.succeeded()).isEqualTo(3);
        assertThat(b.counters.get(UdpCounter.TX_RD_RESET)).isEqualTo(1);
    }

    @Test
    @DisplayName("a receiver that is not ready is waited for; its doorbell lets the rest through")
    void notReady() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        b.upper.receives = 2;
        a.post(b.handle(), 3, 5);
        until(network, a.upper::allDone, 5000);
        assertThat(a.upper.succeeded()).isEqualTo(2);
        b.upper.receives = 10;
        Objects.requireNonNull(b.upper.lower).ready();
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        assertExactlyOnceInOrder(a, b, "a to b");
    }

    @Tag("DG-11.1-14")
    @Test
    @DisplayName("a queue pair that is detached says so: PEER_RESET; one that is gone without a word: RETRY_EXC_ERR")
    void gone() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        b.upper.receives = 1;
        a.post(b.handle(), 1, 2);
        until(network, () -> a.upper.succeeded() == 1, 1000);
        Objects.requireNonNull(b.upper.lower).detach();
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(1).status).isEqualTo(PEER_RESET);
        a.post(b.handle(), 1, 1);
        assertThat(until(network, a.upper::allDone, 10_000)).isTrue();
        assertThat(a.upper.messages.get(2).status).isEqualTo(RETRY_EXC_ERR);
    }

    @Tag("DG-11.1-15")
    @Test
    @DisplayName("a queue pair in the error state closes all its channels, and takes no new one until it works again")
    void stopped() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        b.upper.receives = 1;
        a.post(b.handle(), 1, 2);
        until(network, () -> a.upper.succeeded() == 1, 1000);
        DatagramLowerLayer below = Objects.requireNonNull(b.upper.lower);
        below.stop(network.clock().nowNanos());
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(1).status).isEqualTo(PEER_RESET);
        assertThat(b.upper.lost).as("it knows").isEmpty();
        b.upper.receives = 10;
        a.post(b.handle(), 1, 1);
        until(network, a.upper::allDone, 1000);
        assertThat(a.upper.messages.get(2).status).isNull();
        assertThat(b.counters.get(UdpCounter.RD_BUSY)).isPositive();
        below.resume();
        assertThat(until(network, a.upper::allDone, 2000)).isTrue();
        assertThat(a.upper.messages.get(2).status).isEqualTo(SUCCESS);
    }

    @Tag("DG-11.1-18")
    @Test
    @DisplayName("beyond 64 half-open channels a cookie has to be shown that is right, by those we know too")
    void wrongCookieBeyondTheLimit() throws UnknownHostException {
        Host b = host("192.0.2.2", 18);
        InetSocketAddress forged = new InetSocketAddress("192.0.2.9", 4000);
        b.port.trust(DatagramAddress.of(forged));
        List<Kind> answers = new ArrayList<>();
        datagrams.socket(forged, (from, octets) -> answers.add(Kind.of(octets.get(octets.position()) & 0xf)));
        for (int i = 0; i < 80; i++) {
            int extension = i < 64 ? 0 : 16;
            ByteBuffer open = ByteBuffer.allocate(ShimHeader.LENGTH + extension + RdOpenBody.LENGTH + Crc.LENGTH);
            Shim shim = new Shim().addressed(18, 1000 + i, KEY).message(i, RdOpenBody.LENGTH);
            ShimHeader.write(open, 0, Kind.RD_OPEN, shim, extension == 0 ? 0 : ShimHeader.COOKIE);
            RdOpenBody body = new RdOpenBody();
            body.wrap(open, ShimHeader.LENGTH + extension);
            body.set(1 + i, 0, 0, 16);
            new Crc().seal(open, 0, ShimHeader.LENGTH + extension + RdOpenBody.LENGTH);
            datagrams.send(forged, b.port.localAddress(), open);
        }
        until(network, () -> answers.size() == 80, 5);
        assertThat(answers).hasSize(80);
        assertThat(answers.stream().filter(Kind.CHALLENGE::equals)).hasSize(16);
    }

    @Tag("DG-11.1-14")
    @Test
    @DisplayName("a queue pair that leaves says so to each of its peers, however many there are")
    void leavesMany() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        b.port.trust(DatagramAddress.of(a.port.localAddress()));
        a.port.trust(DatagramAddress.of(b.port.localAddress()));
        List<RdUpper> peers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            RdUpper peer = new RdUpper(100 + i, network.clock()::nowNanos);
            a.port.attach(DatagramService.RD, 100 + i, KEY, false, peer);
            peer.post(b.handle(), 1);
            Objects.requireNonNull(peer.lower).doorbell();
            peers.add(peer);
        }
        assertThat(until(network, () -> peers.stream().allMatch(RdUpper::allDone), 5000))
                .isTrue();
        Objects.requireNonNull(b.upper.lower).detach();
        until(network, () -> false, 5);
        assertThat(peers).allSatisfy(peer -> assertThat(peer.lost).hasSize(1));
        assertThat(b.counters.get(UdpCounter.TX_OVERFLOWED)).isZero();
    }

    @Test
    @DisplayName("a datagram that the system will never take closes the channel")
    void unsendable() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        DatagramPeer toB = b.handle();
        a.post(toB, 1, 1);
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        datagrams.largestDatagram(200);
        a.post(toB, 1, 1);
        assertThat(until(network, a.upper::allDone, 1000)).isTrue();
        assertThat(a.upper.messages.get(1).status).isEqualTo(OperationStatus.WR_FLUSH_ERR);
    }

    @Tag("DG-5.1-9")
    @Test
    @DisplayName("an RD-OPEN with a wrong Q_Key is not for us")
    void wrongKey() throws UnknownHostException {
        Host a = host("192.0.2.1", 17);
        Host b = host("192.0.2.2", 18);
        DatagramAddress there = DatagramAddress.of(new InetSocketAddress(
                b.port.localAddress().getAddress(), b.port.localAddress().getPort()));
        a.post(new DatagramPeer().set(there, 18, KEY + 1, 1472), 1, 1);
        assertThat(until(network, a.upper::allDone, 10_000)).isTrue();
        assertThat(a.upper.messages.get(0).status).isEqualTo(RETRY_EXC_ERR);
        assertThat(b.counters.get(UdpCounter.RX_KEY)).isEqualTo(8);
    }
}
