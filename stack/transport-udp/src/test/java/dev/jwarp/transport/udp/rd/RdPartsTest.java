package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.RETRY_EXC_ERR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdPartExtension;
import dev.jwarp.transport.udp.wire.ShimHeader;
import dev.jwarp.vectors.Whole;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Numbered datagrams that are longer than the present path MTU")
class RdPartsTest {
    private static final int WIDE = 1472;
    private static final int NARROW = 400;
    /** The parts of DATA with 1,400 bytes: 1,418 by 320. */
    private static final int PARTS = 5;

    private SimNetwork network = new SimNetwork(1);
    private SimDatagrams datagrams = new SimDatagrams(network);
    private RdEngineHost a;
    private RdEngineHost b;
    private final DatagramPeer toA = new DatagramPeer();
    private final DatagramPeer toB = new DatagramPeer();
    private int path = WIDE;
    /** The last datagrams of these Kinds on the wire. */
    private final List<byte[]> parts = new ArrayList<>();

    private final List<byte[]> data = new ArrayList<>();

    RdPartsTest() throws UnknownHostException {
        hosts(1);
    }

    private void hosts(long seed) throws UnknownHostException {
        hosts(seed, Map.of());
    }

    private void hosts(long seed, Map<String, String> settings) throws UnknownHostException {
        network = new SimNetwork(seed);
        datagrams = new SimDatagrams(network);
        a = new RdEngineHost(datagrams, "192.0.2.1", 17, seed, 1400, Map.of());
        b = new RdEngineHost(datagrams, "192.0.2.2", 18, seed + 100, 1400, settings);
        a.upper.keepsCut = true;
        b.upper.keepsCut = true;
        datagrams.lose(octets -> octets.remaining() > path);
        RdEngineHost.until(network, () -> a.upper.lower != null && b.upper.lower != null, 10);
        narrow(WIDE);
        a.port.trust(DatagramAddress.of(b.port.localAddress()));
        b.port.trust(DatagramAddress.of(a.port.localAddress()));
        datagrams.tap((from, to, octets, now) -> {
            byte[] copy = new byte[octets.remaining()];
            octets.duplicate().get(copy);
            List<byte[]> noted = copy[0] == Kind.RD_PART.octet() ? parts : copy[0] == Kind.DATA.octet() ? data : null;
            if (noted != null) {
                noted.add(copy);
            }
        });
    }

    private static long stash(RdEngineHost of) {
        long[] used = {-1};
        Objects.requireNonNull(of.upper.lower).limits((name, now, high, most) -> {
            if (name.equals("rd-stash")) {
                used[0] = now;
            }
        });
        return used[0];
    }

    /** Reduces the path MTU, which both ends know at once; tests of the search are elsewhere. */
    private void narrow(int octets) {
        path = octets;
        a.handle(toA, octets);
        b.handle(toB, octets);
    }

    @Tag("DG-11.3-21")
    @Tag("DG-11.2-13")
    @ParameterizedTest(name = "path {0}, loss {1}, duplicates {2}, corruption {3}, delay up to {4} ms")
    @CsvSource({
        "400,0,0,0,0",
        "400,0.1,0.1,0.02,2",
        "1200,0.1,0.1,0.02,2",
        "120,0,0.05,0,1",
        "120,0.1,0.05,0,1",
        "400,0.3,0.1,0,5"
    })
    void narrows(int less, double loss, double duplication, double corruption, long millis)
            throws UnknownHostException {
        for (long seed = 1; seed <= Whole.or(4, 10); seed++) {
            hosts(seed);
            datagrams.faults(
                    new DatagramFaults(loss, duplication, corruption, 100_000, 100_000 + RdSim.millis(millis)));
            a.post(toB, 100, 3);
            b.post(toA, 100, 3);
            // During the run, after the first exchange of features.
            assertThat(RdEngineHost.until(
                            network, () -> a.upper.acceptedSegments > 80 && b.upper.acceptedSegments > 80, 20_000))
                    .isTrue();
            assertThat(a.upper.allDone() && b.upper.allDone()).isFalse();
            narrow(less);
            String what = "seed " + seed;
            assertThat(RdEngineHost.until(network, () -> a.upper.allDone() && b.upper.allDone(), 1_200_000))
                    .as(what)
                    .isTrue();
            RdDeliveryTest.assertExactlyOnceInOrder(a.upper, b.upper, what);
            RdDeliveryTest.assertExactlyOnceInOrder(b.upper, a.upper, what);
            assertThat(a.counted(UdpCounter.RD_IN_PARTS) + b.counted(UdpCounter.RD_IN_PARTS))
                    .as(what)
                    .isPositive();
            for (RdEngineHost host : List.of(a, b)) {
                assertThat(host.counted(UdpCounter.RX_MALFORMED) + host.counted(UdpCounter.RX_FLAGS))
                        .as(what)
                        .isZero();
                assertThat(stash(host)).as(what).isZero();
            }
        }
    }

    // ---- parts that this test delivers or creates

    /** {@return the parts of the oldest datagrams, by PSN} From now on parts are delivered only by {@link #hand}. */
    private SortedMap<Integer, List<byte[]>> heldBack() {
        a.post(toB, 10, 4);
        b.post(toA, 10, 4);
        assertThat(RdEngineHost.until(network, () -> a.upper.allDone() && b.upper.allDone(), 1000))
                .isTrue();
        datagrams.lose(octets -> octets.remaining() > path || octets.get(octets.position()) == Kind.RD_PART.octet());
        path = NARROW;
        a.post(toB, 1, 2);
        network.runFor(RdSim.millis(1));
        narrow(NARROW);
        assertThat(RdEngineHost.until(network, () -> parts.size() >= 2 * PARTS, 10_000))
                .isTrue();
        SortedMap<Integer, List<byte[]>> all = new TreeMap<>();
        for (byte[] octets : parts.subList(0, 2 * PARTS)) {
            all.computeIfAbsent(psn(octets), psn -> new ArrayList<>()).add(octets);
        }
        assertThat(all.values()).allSatisfy(of -> assertThat(of).hasSize(PARTS));
        return all;
    }

    private static int psn(byte[] octets) {
        return ByteBuffer.wrap(octets).getInt(ShimHeader.LENGTH + RdPartExtension.PSN_OFFSET);
    }

    /** {@return a changed copy with a correct CRC} */
    private static byte[] changed(byte[] octets, Consumer<ByteBuffer> change) {
        ByteBuffer copy = ByteBuffer.wrap(octets.clone());
        change.accept(copy);
        new Crc().seal(copy, 0, octets.length - Crc.LENGTH);
        return copy.array();
    }

    private static byte[] withPsn(byte[] octets, int psn) {
        return changed(octets, copy -> copy.putInt(ShimHeader.LENGTH + RdPartExtension.PSN_OFFSET, psn));
    }

    /** Delivers a datagram to its receiver, whatever the path MTU. */
    private void hand(byte[] octets) {
        datagrams.lose(any -> false);
        datagrams.send(a.port.localAddress(), b.port.localAddress(), ByteBuffer.wrap(octets));
        datagrams.lose(any -> true);
        network.runFor(RdSim.millis(1));
    }

    private void hand(List<byte[]> all) {
        all.forEach(this::hand);
    }

    private int received() {
        return b.upper.received.getOrDefault(a.upper.incarnation, List.of()).size();
    }

    @Tag("DG-11.2-13")
    @Test
    @DisplayName("are delivered once, when all parts have come, in any order and any number of times")
    void anyOrder() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        List<byte[]> first = all.get(all.firstKey());
        int before = received();
        for (int i = PARTS - 1; i > 0; i--) {
            hand(first.get(i));
            hand(first.get(i));
        }
        assertThat(received())
                .as("nothing is delivered while a part is missing")
                .isEqualTo(before);
        assertThat(stash(b)).isPositive();
        assertThat(b.counted(UdpCounter.RD_DUP)).isEqualTo(PARTS - 1);
        hand(first.get(0));
        assertThat(received()).isEqualTo(before + 1);
        assertThat(stash(b)).isZero();
        hand(first);
        assertThat(received()).isEqualTo(before + 1);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.2-14")
    @Test
    @DisplayName("are reassembled two at a time, and the one expected next keeps its place")
    void twoAtATime() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        List<byte[]> first = all.get(all.firstKey());
        List<byte[]> second = all.get(all.lastKey());
        int before = received();
        hand(first.get(0));
        long one = stash(b);
        hand(second.get(0));
        hand(second.subList(1, PARTS - 1));
        assertThat(stash(b)).isEqualTo(2 * one);
        for (int ahead = 2; ahead < 10; ahead++) {
            hand(withPsn(first.get(0), all.firstKey() + ahead));
            assertThat(stash(b)).isEqualTo(2 * one);
        }
        hand(second.get(PARTS - 1));
        hand(first.subList(1, PARTS));
        assertThat(received()).as("the second has lost its place").isEqualTo(before + 1);
        hand(second.subList(0, PARTS - 1));
        assertThat(received()).isEqualTo(before + 2);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.2-13")
    @Test
    @DisplayName("a whole datagram beside its parts: the first complete one counts, and the memory is released")
    void besideWhole() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        List<byte[]> first = all.get(all.firstKey());
        byte[] whole = data.stream()
                .filter(octets -> psn(octets) == all.firstKey() && octets.length > NARROW)
                .findFirst()
                .orElseThrow();
        int before = received();
        hand(first.subList(0, 3));
        hand(whole);
        assertThat(received()).isEqualTo(before + 1);
        assertThat(stash(b)).isZero();
        hand(first.subList(3, PARTS));
        hand(first);
        hand(whole);
        assertThat(received()).isEqualTo(before + 1);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.2-13")
    @Test
    @DisplayName("a whole datagram that is ahead, beside its parts: the parts are discarded")
    void besideWholeAhead() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        int before = received();
        hand(all.get(all.lastKey()).get(0));
        long one = stash(b);
        hand(data.stream()
                .filter(octets -> psn(octets) == all.lastKey() && octets.length > NARROW)
                .findFirst()
                .orElseThrow());
        assertThat(stash(b)).as("one is kept, and no part").isEqualTo(one);
        hand(all.get(all.lastKey()));
        assertThat(stash(b)).isEqualTo(one);
        hand(all.get(all.firstKey()));
        assertThat(received()).isEqualTo(before + 2);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.2-14")
    @Test
    @DisplayName("parts with another total length or another pad belong to another datagram, which begins again")
    void anotherCut() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        List<byte[]> first = all.get(all.firstKey());
        List<byte[]> second = all.get(all.lastKey());
        int before = received();
        int flags = first.get(0)[ShimHeader.FLAGS_OFFSET] | ShimHeader.PADDED;
        hand(changed(first.get(0), copy -> copy.put(ShimHeader.FLAGS_OFFSET, (byte) flags)));
        hand(first.subList(1, PARTS));
        assertThat(received()).as("one part was of another").isEqualTo(before);
        hand(first.get(0));
        assertThat(received()).isEqualTo(before + 1);
        int total = ShimHeader.LENGTH + RdPartExtension.TOTAL_OFFSET;
        hand(changed(second.get(0), copy -> copy.putShort(total, (short) 1_417)));
        hand(second.subList(1, PARTS));
        assertThat(received()).as("one part was of another").isEqualTo(before + 1);
        hand(second.get(0));
        assertThat(received()).isEqualTo(before + 2);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.2-15")
    @Test
    @DisplayName("parts with a wrong tag, of accepted datagrams, or beyond the window are dropped, and nothing is kept")
    void notOurs() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        byte[] part = all.get(all.firstKey()).get(0);
        hand(changed(part, copy -> copy.putInt(ShimHeader.KEY_OFFSET, 12_345)));
        assertThat(b.counted(UdpCounter.RD_TAG)).isEqualTo(1);
        hand(withPsn(part, all.firstKey() - 1));
        assertThat(b.counted(UdpCounter.RD_DUP)).isEqualTo(1);
        hand(withPsn(part, all.firstKey() + 20_000));
        assertThat(b.counted(UdpCounter.RD_AHEAD)).isEqualTo(1);
        int ack = ShimHeader.LENGTH + RdPartExtension.ACK_OFFSET;
        hand(changed(part, copy -> copy.putInt(ack, copy.getInt(ack) + 999)));
        assertThat(b.counted(UdpCounter.RD_ACK_BAD)).isEqualTo(1);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.2-14")
    @Test
    @DisplayName("memory of parts is released when the channel ends")
    void ends() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        hand(all.get(all.firstKey()).get(0));
        hand(all.get(all.lastKey()).get(0));
        assertThat(stash(b)).isPositive();
        Objects.requireNonNull(b.upper.lower).stop(network.clock().nowNanos());
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-10-17")
    @Test
    @DisplayName("are not sent to a peer without that feature")
    void oldPeer() {
        datagrams.lose(octets -> octets.remaining() > path
                || octets.get(octets.position()) == Kind.PATH_PROBE.octet()
                || octets.get(octets.position()) == Kind.PATH_REPLY.octet());
        a.post(toB, 10, 4);
        assertThat(RdEngineHost.until(network, a.upper::allDone, 1000)).isTrue();
        path = NARROW;
        a.post(toB, 1, 2);
        network.runFor(RdSim.millis(1));
        narrow(NARROW);
        RdEngineHost.until(network, a.upper::allDone, 60_000);
        assertThat(parts).isEmpty();
        assertThat(a.upper.messages.get(4).status).isEqualTo(RETRY_EXC_ERR);
    }

    @Tag("DG-11.2-16")
    @Test
    @DisplayName("without room for the expected one, datagrams kept out of order are discarded")
    void noRoom() throws UnknownHostException {
        hosts(1, Map.of("jwarp.rd.stash", "2"));
        SortedMap<Integer, List<byte[]>> all = heldBack();
        byte[] whole = data.stream()
                .filter(octets -> psn(octets) == all.firstKey() && octets.length > NARROW)
                .findFirst()
                .orElseThrow();
        int before = received();
        hand(withPsn(whole, all.firstKey() + 2));
        hand(withPsn(whole, all.firstKey() + 1));
        assertThat(stash(b)).isEqualTo(2);
        hand(all.get(all.firstKey()));
        assertThat(received()).isEqualTo(before + 1);
        assertThat(stash(b)).isZero();
    }

    @Tag("DG-11.3-22")
    @Test
    @DisplayName("datagrams that fit the path are sent whole, also repetitions")
    void fits() throws UnknownHostException {
        datagrams.faults(new DatagramFaults(0.1, 0.1, 0, 100_000, 1_000_000));
        a.post(toB, 50, 4);
        b.post(toA, 50, 4);
        assertThat(RdEngineHost.until(network, () -> a.upper.allDone() && b.upper.allDone(), 60_000))
                .isTrue();
        assertThat(a.counted(UdpCounter.RD_REPEATED) + a.counted(UdpCounter.RD_PROBES))
                .isPositive();
        assertThat(parts).isEmpty();
    }

    @Tag("DG-4.4-12")
    @Tag("DG-11.3-21")
    @Test
    @DisplayName("have the largest multiple of 64 that fits, except the last part, and the shim of their datagram")
    void form() {
        SortedMap<Integer, List<byte[]>> all = heldBack();
        RdPartExtension extension = new RdPartExtension();
        int offset = 0;
        for (byte[] octets : all.get(all.firstKey())) {
            extension.wrap(ByteBuffer.wrap(octets), ShimHeader.LENGTH);
            assertThat(extension.total()).isEqualTo(1_418);
            assertThat(extension.offset()).isEqualTo(offset);
            assertThat(extension.length()).isEqualTo(Math.min(320, 1_418 - offset));
            assertThat(octets).hasSize(44 + extension.length());
            offset += extension.length();
        }
        assertThat(offset).isEqualTo(1_418);
    }
}
