package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static dev.jwarp.transport.udp.engine.EngineRig.data;
import static dev.jwarp.transport.udp.engine.EngineRig.peer;
import static dev.jwarp.transport.udp.engine.EngineRig.reply;
import static dev.jwarp.transport.udp.engine.EngineRig.shim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.engine.EngineRig.Sent;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Sending (datagram-iWARP §6)")
class SendingTest {
    private static final int AROUND = ShimHeader.LENGTH + ToyUpper.HEADER + Crc.LENGTH;

    private EngineRig rig = new EngineRig();
    private final DatagramPeer near = peer(LOOPBACK);
    private final DatagramPeer far = peer(STRANGER);

    private List<Sent> send() {
        rig.upper.lower().doorbell();
        return rig.send();
    }

    private List<Integer> batches() {
        return rig.batches.stream().map(List::size).toList();
    }

    @Tag("DG-4.1-1")
    @Tag("DG-4.3-2")
    @Test
    void putsShimHeaderPayloadPadAndChecksumIntoADatagram() {
        rig.upper.send(near, new byte[] {1, 2, 3, 4, 5}, false, 8);
        Sent sent = send().get(0);
        byte[] octets = sent.octets();
        assertThat(octets).hasSize(AROUND + 8);
        assertThat(sent.parsed().shim().padded()).isTrue();
        assertThat(sent.shim().destinationQpn()).isEqualTo(EngineRig.PEER_NUMBER);
        assertThat(sent.shim().sourceQpn()).isEqualTo(NUMBER);
        assertThat(sent.shim().key()).isEqualTo(KEY);
        int payload = ShimHeader.LENGTH + ToyUpper.HEADER;
        assertThat(Arrays.copyOfRange(octets, payload, payload + 8)).containsExactly(1, 2, 3, 4, 5, 0, 0, 0);
    }

    @Test
    void theChecksumIsOverTheOctetsThatAreSent() {
        byte[] memory = {1, 2, 3, 4};
        rig.upper.onComposed = () -> memory[0] = 9;
        rig.upper.send(near, memory);
        Sent sent = send().get(0);
        assertThat(memory[0]).as("the memory has changed meanwhile").isEqualTo((byte) 9);
        sent.parsed();
    }

    @Tag("DG-17-3")
    @Test
    void padIsZeroWhateverStoodThereBefore() {
        byte[] ones = new byte[64];
        Arrays.fill(ones, (byte) -1);
        rig.upper.send(near, ones);
        send();
        rig.upper.send(near, new byte[4], false, 64);
        byte[] octets = send().get(0).octets();
        assertThat(Arrays.copyOfRange(octets, octets.length - 64, octets.length - 4))
                .containsOnly(0);
    }

    @Test
    void showsTheCookieOfThePeer() {
        near.cookie(0x0102030405060708L, 0x1112131415161718L, Long.MAX_VALUE);
        rig.upper.send(near, new byte[5], true, 5);
        DatagramParser parser = send().get(0).parsed();
        assertThat(parser.hasCookie()).isTrue();
        assertThat(parser.cookie().high()).isEqualTo(0x0102030405060708L);
        assertThat(parser.cookie().low()).isEqualTo(0x1112131415161718L);
    }

    @Test
    void reportsEachCallToTheLayerAboveAsSettled() {
        List<String> calls = new ArrayList<>();
        rig.upper.onComposed = () -> calls.add("composed");
        rig.upper.onSettled = () -> calls.add("settled");
        rig.upper.post(near, 2, 100);
        rig.upper.post(far, 1, 100);
        assertThat(rig.engine.prepareOutput(rig.now)).isTrue();
        assertThat(calls).endsWith("composed", "settled").containsOnlyOnce("settled");
        while (rig.upper.transmitted == 0) {
            calls.clear();
            assertThat(rig.engine.prepareOutput(rig.now)).isTrue();
            calls.clear();
            rig.engine.onWritten(rig.engine.output().firstLength(), rig.now);
        }
        assertThat(calls).containsExactly("settled");
        rig.upper.post(near, 1, 100);
        assertThat(rig.engine.prepareOutput(rig.now)).isTrue();
        calls.clear();
        rig.engine.onUnsendable("on purpose", rig.now);
        assertThat(calls).containsExactly("settled");
        assertThat(rig.upper.unsendable).hasSize(1);
    }

    @Test
    void sendsOnWhenTheLayerAboveFailsInSettled() {
        List<String> calls = new ArrayList<>();
        rig.upper.onSettled = () -> {
            calls.add("settled");
            if (calls.size() == 1) {
                throw new IllegalStateException("on purpose");
            }
        };
        rig.upper.send(near, new byte[100]);
        rig.upper.send(near, new byte[200]);
        assertThat(send()).hasSize(2);
        assertThat(calls).hasSizeGreaterThan(1);
    }

    @Test
    void batchesEqualDatagramsToOnePeerAndAShorterOneEndsTheBatch() {
        for (int length : new int[] {100, 100, 100, 60, 100, 200, 200}) {
            rig.upper.send(near, new byte[length]);
        }
        assertThat(send()).hasSize(7);
        // 100 ×3 and 60; 100; 200 ×2: a longer one cannot follow, and nothing follows a shorter one.
        assertThat(batches()).containsExactly(4, 1, 2);
        assertThat(rig.upper.transmitted).isEqualTo(1);
    }

    @Test
    void batchesForDifferentPeersApart() {
        for (int i = 0; i < 3; i++) {
            rig.upper.post(near, 2, 100);
            rig.upper.post(far, 1, 100);
        }
        assertThat(send()).extracting(Sent::to).startsWith(LOOPBACK, LOOPBACK, STRANGER);
        assertThat(batches()).containsExactly(2, 1, 2, 1, 2, 1);
    }

    @Test
    void aBatchHasAtMost64DatagramsAndTheOctetsOfTheLargest() {
        rig.upper.post(near, 70, 16);
        send();
        assertThat(batches()).containsExactly(64, 6);
        rig.batches.clear();
        rig.upper.post(near, 50, 1_424);
        send();
        assertThat(batches()).containsExactly(44, 6); // 44 × 1,470 = 64,680
        assertThat(rig.upper.transmitted).isEqualTo(4);
    }

    @Test
    void withoutSegmentedSendsEachIsABatchAndATurnHasSixteen() {
        rig = new EngineRig(Map.of(), false);
        rig.upper.post(near, 20, 100);
        assertThat(send()).hasSize(20);
        assertThat(batches()).hasSize(20).containsOnly(1);
        assertThat(rig.upper.transmitted).isEqualTo(2);
    }

    @Test
    void queuePairsTakeTurns() {
        rig.upper.post(near, 100, 100);
        others(1).get(0).post(far, 70, 100);
        rig.send();
        // By bytes: neither has used up its turn with the first batch.
        assertThat(batches()).containsExactly(64, 36, 64, 6);
        assertThat(rig.batches.get(0).get(0).to())
                .isNotEqualTo(rig.batches.get(2).get(0).to());
    }

    /** Further queue pairs, numbered from 100, which send to the same peer. */
    private List<ToyUpper> others(int count) {
        List<ToyUpper> others = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ToyUpper other = new ToyUpper(100 + i);
            rig.attach(DatagramService.UD, 100 + i, 5, false, other);
            others.add(other);
        }
        return others;
    }

    /** {@return the bytes of the next {@code datagrams}, by queue pair} */
    private Map<Integer, Long> bytesOf(int datagrams) {
        rig.room = datagrams;
        return rig.send().stream()
                .collect(Collectors.groupingBy(
                        sent -> sent.shim().sourceQpn(), Collectors.summingLong(sent -> sent.octets().length)));
    }

    @Test
    void saturatedQueuePairsShareBytesByTheirWeightsWhateverTheirDatagramsAre() {
        ToyUpper heavy = others(1).get(0);
        heavy.weight = 4;
        rig.upper.post(near, 4_000, 1_400);
        heavy.post(near, 40_000, 150);
        Map<Integer, Long> sent = bytesOf(20_000);
        assertThat((double) sent.get(100) / sent.get(NUMBER)).isBetween(3.2, 4.8);
    }

    @Test
    void aWeightHasNoEffectWhereAllThatIsPostedLeaves() {
        ToyUpper heavy = others(1).get(0);
        for (int weight : new int[] {1, 64}) {
            heavy.weight = weight;
            rig.batches.clear();
            rig.upper.post(near, 40, 1_400);
            heavy.post(near, 40, 1_400);
            bytesOf(80);
            assertThat(batches()).as("weight %d", weight).containsExactly(40, 40);
        }
    }

    @Test
    void ofSixteenQueuePairsOneThatFloodsLeavesTheOthersTheirShare() {
        List<ToyUpper> others = others(15);
        rig.upper.post(near, 3_000, 30_000);
        others.forEach(other -> other.post(near, 3_000, 100));
        Map<Integer, Long> sent = bytesOf(16_000);
        long all = sent.values().stream().mapToLong(Long::longValue).sum();
        assertThat(sent)
                .hasSize(16)
                .allSatisfy((number, bytes) ->
                        assertThat(bytes).as("queue pair %d", number).isGreaterThan(all / 32));
    }

    @Test
    void answersGoFirst() {
        rig.room = 0;
        rig.upper.post(near, 1, 100);
        rig.upper.fate = SegmentFate.REFUSED;
        rig.receiveFrom(LOOPBACK);
        rig.room = 9;
        assertThat(rig.send()).extracting(Sent::kind).containsExactly(Kind.NOTIFY, Kind.DATA);
    }

    @Test
    @DisplayName("a queue pair that received a segment has a turn only if it has output")
    void noTurnWithoutOutput() {
        rig.send();
        int polls = rig.upper.polls;
        assertThat(rig.receiveFrom(LOOPBACK)).isEmpty();
        assertThat(rig.upper.polls).isEqualTo(polls);

        rig.upper.onReceived = segment -> rig.upper.send(near, new byte[100]);
        assertThat(rig.receiveFrom(LOOPBACK)).hasSize(1);
    }

    @Test
    void nobodyIsAskedForMoreWhileTheSystemHasNoRoom() {
        rig.room = 3;
        rig.upper.post(near, 5, 100);
        assertThat(send()).hasSize(3);
        int polls = rig.upper.polls;
        assertThat(rig.upper.transmitted).isZero();
        assertThat(rig.engine.prepareOutput(rig.now)).isTrue();
        assertThat(rig.upper.polls).isEqualTo(polls);
        rig.room = 10;
        assertThat(rig.send()).hasSize(2);
        assertThat(rig.upper.transmitted).isEqualTo(1);
        assertThat(rig.counters.get(UdpCounter.TX_DATAGRAMS)).isEqualTo(5);
    }

    @Test
    void moreAnswersThanThereIsRoomForAreDroppedAndCounted() {
        rig.room = 0;
        rig.upper.fate = SegmentFate.CHALLENGE;
        rig.answers(STRANGER, 70);
        assertThat(rig.moved()).containsExactly(UdpCounter.TX_OVERFLOWED);
        assertThat(rig.counters.get(UdpCounter.TX_OVERFLOWED)).isEqualTo(6);
        rig.room = 100;
        assertThat(rig.send()).hasSize(64);
    }

    @Test
    void aDatagramThatIsTooLongFailsItsMessageAndNoOther() {
        rig.largest = 500;
        rig.upper.send(near, new byte[100]);
        int second = rig.upper.send(near, new byte[600]);
        int third = rig.upper.send(near, new byte[600]);
        rig.upper.send(near, new byte[100]);
        assertThat(send()).hasSize(2);
        assertThat(rig.upper.unsendable).containsExactly(second, third);
        assertThat(rig.upper.transmitted).isEqualTo(1);
        assertThat(rig.counters.get(UdpCounter.TX_UNSENDABLE)).isEqualTo(2);
    }

    @Test
    void aPacedPeerGetsItsRateAndDoesNotStandBeforeOthers() {
        near.pace(1_000_000); // a datagram of 1,000 octets takes a millisecond
        rig.upper.post(near, 11, 1_000 - AROUND);
        rig.upper.send(far, new byte[10]);
        assertThat(send()).extracting(Sent::to).containsExactly(LOOPBACK, LOOPBACK, STRANGER);
        assertThat(rig.engine.nextTimeout()).as("a pace is no time-out").isEqualTo(Long.MAX_VALUE);
        assertThat(rig.millisUntilSent(11 - 2)).isEqualTo(9);
        assertThat(rig.engine.nextSend()).isEqualTo(Long.MAX_VALUE);
    }

    private void openNetwork() {
        rig = new EngineRig(Map.of("jwarp.udp.controlled", "127.0.0.0/8"), true);
    }

    private long allData() {
        return rig.batches.stream()
                .flatMap(List::stream)
                .filter(sent -> sent.kind() == Kind.DATA)
                .count();
    }

    @Tag("DG-6-1")
    @Tag("DG-6-6")
    @Test
    void aPeerThatTellsNothingGetsTenDatagramsAndThenALowRate() {
        openNetwork();
        rig.upper.post(far, 60, 1_000 - AROUND);
        assertThat(rig.dataSent()).isEqualTo(10 + 1);
        assertThat(rig.millisUntilSent(25)).as("125 kB/s").isBetween(190L, 210L);
        rig.receiveFrom(STRANGER);
        rig.upper.lower().doorbell();
        assertThat(allData()).as("not silent, but without feedback").isEqualTo(11 + 25);
        assertThat(rig.millisUntilSent(10)).as("125 kB/s").isBetween(75L, 90L);
        // And in a controlled network there is no limit.
        rig.upper.post(near, 60, 1_000 - AROUND);
        assertThat(send()).hasSize(60);
    }

    @Tag("DG-6-6")
    @Test
    void aPeerThatIsSilentForTenSecondsAndAHundredDatagramsGetsOneInThreeSecondsUntilSomethingComes() {
        openNetwork();
        for (int i = 0; i < 99; i++) {
            rig.upper.send(far, new byte[100]);
            send();
            rig.now += TimeUnit.MILLISECONDS.toNanos(101);
        }
        assertThat(rig.upper.events).containsExactly("attached");
        rig.now += TimeUnit.MILLISECONDS.toNanos(101);
        rig.upper.post(far, 5, 100);
        assertThat(rig.dataSent()).isEqualTo(1);
        assertThat(rig.upper.events).containsExactly("attached", "silent");
        assertThat(rig.counters.get(UdpCounter.UD_SILENT)).isEqualTo(1);
        assertThat(rig.millisUntilSent(2)).isEqualTo(6_000);
        rig.receiveFrom(STRANGER);
        rig.upper.lower().doorbell();
        assertThat(allData()).isEqualTo(99 + 5);
        assertThat(rig.counters.get(UdpCounter.UD_SILENT)).isEqualTo(1);
    }

    @Test
    void whatIsNotForUsIsNotHeard() {
        openNetwork();
        rig.upper.post(far, 30, 1_000 - AROUND);
        int sent = rig.dataSent();
        rig.receive(data(shim(NUMBER, KEY + 1)), STRANGER);
        rig.receive(reply(Kind.NOTIFY, NUMBER, KEY, new byte[NotifyBody.LENGTH]), STRANGER);
        assertThat(allData()).isEqualTo(sent);
    }

    @Tag("DG-6-6")
    @Test
    void aGroupHasAPaceOfItsOwnAndNoBreaker() {
        openNetwork();
        DatagramAddress address = new DatagramAddress().setIpv4(0xe000_00fb, 9999);
        DatagramPeer group = new DatagramPeer().set(address, Shim.GROUP_QPN, 77, 1_472);
        rig.upper.post(group, 3_011, 1_000 - AROUND);
        assertThat(rig.millisUntilSent(3_011)).as("125 kB/s").isBetween(23_990L, 24_010L);
        assertThat(rig.upper.events).containsExactly("attached");
    }

    @Tag("DG-6-1")
    @Test
    @DisplayName("the usual pace is a setting, and handles with the same address share it")
    void theUsualPaceIsASetting() {
        rig = new EngineRig(Map.of("jwarp.udp.pace", "1000000"), true);
        for (int i = 0; i < 5; i++) {
            rig.upper.send(peer(LOOPBACK), new byte[1_000 - AROUND]);
        }
        assertThat(send()).hasSize(2);
    }

    @Tag("DG-4.5-8")
    @Test
    void tellsTheLargestSegmentOfAPeer() {
        // datagram-iWARP §4.5, the table of sizes.
        assertThat(largestSegment(1_472, false)).isEqualTo(1_424);
        assertThat(largestSegment(65_507, false)).isEqualTo(65_460);
        assertThat(largestSegment(65_507, true)).isEqualTo(65_444);
        assertThat(largestSegment(1 << 20, false)).isEqualTo(65_460);
    }

    private int largestSegment(int maximumDatagram, boolean cookie) {
        DatagramPeer to = new DatagramPeer().set(LOOPBACK, 16, 0, maximumDatagram);
        to.cookie(1, 2, Long.MAX_VALUE);
        rig.upper.asksSize = true;
        rig.upper.send(to, new byte[8], cookie, 8);
        send();
        return rig.upper.size;
    }

    @Test
    void aQueuePairThatLeavesWhileItsDatagramsWaitIsNotCalledAgain() {
        rig.room = 1;
        rig.upper.post(near, 2, 10);
        rig.send();
        rig.upper.lower().detach();
        rig.room = 9;
        assertThat(rig.send()).hasSize(1);
        assertThat(rig.upper.transmitted).isZero();
        rig.upper.lower().doorbell();
        assertThat(rig.send()).isEmpty();
    }

    @Test
    void firesTheTimersThatAreDue() {
        rig.upper.timeout = rig.now + 100;
        rig.upper.lower().timeoutChanged();
        assertThat(rig.engine.nextTimeout()).isEqualTo(rig.now + 100);
        rig.upper.onSettled = () -> rig.upper.events.add("settled");
        rig.engine.onTimeout(rig.now + 99);
        assertThat(rig.upper.events).doesNotContain("timeout", "settled");
        rig.engine.onTimeout(rig.now + 100);
        assertThat(rig.upper.events).endsWith("timeout", "settled");
        assertThat(rig.engine.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }
}
