package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.OutboundMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("datagram-iWARP §6 and §15: sending, and how work requests end")
class DatagramSendingTest {
    private final DatagramStation a = new DatagramStation(1);
    private final DatagramStation b = new DatagramStation(2);
    private final DatagramStation c = new DatagramStation(3);
    private final TaggedBuffer memory = a.random(300_000, 1);

    @Test
    @DisplayName("A work request completes when its last datagram is sent, and not before")
    void completion() {
        a.send(1, a.to(b), memory, 0, 3_000);
        a.port.poll(a.endpoint, a.now);
        assertThat(a.sends).isEmpty();
        a.port.transmit(a.endpoint, a.now);
        assertThat(a.sends).containsExactly("1 SUCCESS");
        assertThat(a.sendQueue.size()).isZero();
    }

    @Test
    @DisplayName("Destinations take turns; each keeps its order of posting")
    void turns() {
        DatagramStation fair = new DatagramStation(
                1, DatagramService.UD, DatagramSettings.DEFAULT.with(DatagramLimit.SEGMENTS_PER_TURN, 2), 8);
        TaggedBuffer from = fair.region(10_000);
        DatagramDestination toB = fair.to(b);
        DatagramDestination toC = fair.to(c);
        fair.send(1, toB, from, 0, 6_200);
        fair.send(2, toB, from, 0, 10);
        fair.send(3, toC, from, 0, 3_600);
        List<String> order = new ArrayList<>();
        fair.sent().forEach(d -> order.add((d.to == toB.peer() ? "b" : "c") + d.shim.segmentIndex()));
        assertThat(order).containsExactly("b0", "b1", "c0", "c1", "b2", "b3", "c2", "b4", "b0");
    }

    @Test
    @DisplayName("The datagrams of a message do not depend on the length of turns")
    void longTurn() {
        List<Integer> counts = new ArrayList<>();
        for (int turn : new int[] {64, 1_024}) {
            DatagramSettings settings = DatagramSettings.DEFAULT.with(DatagramLimit.SEGMENTS_PER_TURN, turn);
            DatagramStation station = new DatagramStation(1, DatagramService.UD, settings, 8);
            station.send(1, station.to(b), station.region(300_000), 0, 300_000);
            counts.add(station.sent().size());
        }
        assertThat(counts.get(1)).isEqualTo(counts.get(0)).isGreaterThan(200);
    }

    @Test
    @DisplayName("Destinations with weights 1 and 4 share bytes in proportion while both have work")
    void weights() {
        TaggedBuffer lots = a.region(4_000_000);
        DatagramDestination light = a.to(b);
        DatagramDestination heavy = a.to(c, 600);
        heavy.weight(4);
        a.send(1, light, lots, 0, 4_000_000);
        a.send(2, heavy, lots, 0, 4_000_000);
        long[] bytes = new long[2];
        List<Datagram> sent = a.sent();
        for (Datagram d : sent) {
            bytes[d.to == heavy.peer() ? 1 : 0] += d.segment.length;
            if (bytes[1] >= 4_000_000) {
                break;
            }
        }
        assertThat((double) bytes[1] / bytes[0]).isBetween(3.2, 4.8);
        assertThat(a.sends).containsExactlyInAnyOrder("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    @DisplayName("A blocked destination does not block others, and is checked once a round")
    void notAdmitted() {
        DatagramDestination toB = a.to(b);
        a.port.admits = peer -> peer != toB.peer();
        for (int i = 0; i < 5; i++) {
            a.send(i, toB, memory, 0, 10);
        }
        a.send(9, a.to(c), memory, 0, 3_000);
        assertThat(a.sent()).hasSize(3);
        assertThat(a.sends).containsExactly("9 SUCCESS");
        assertThat(a.port.admissions).isEqualTo(4);
        a.port.admits = peer -> true;
        assertThat(a.sent()).hasSize(5);
        assertThat(a.sends).hasSize(6);
    }

    @Test
    @DisplayName("A blocked destination is asked for again after a millisecond, although another one always has work")
    void notAdmittedForLong() {
        DatagramStation one = new DatagramStation(
                1, DatagramService.UD, DatagramSettings.DEFAULT.with(DatagramLimit.SEGMENTS_PER_TURN, 1), 8);
        DatagramDestination toB = one.to(b);
        one.port.admits = peer -> peer != toB.peer();
        one.send(1, toB, one.region(10), 0, 10);
        one.send(2, one.to(c), one.region(20_000), 0, 20_000);
        one.endpoint.pollSegment(one.port, one.now);
        one.port.admits = peer -> true;
        one.endpoint.pollSegment(one.port, one.now + 999_999);
        one.port.transmit(one.endpoint, one.now);
        assertThat(one.sends).isEmpty();
        one.endpoint.pollSegment(one.port, one.now + 1_000_000);
        one.endpoint.pollSegment(one.port, one.now + 1_000_000);
        one.port.transmit(one.endpoint, one.now);
        assertThat(one.sends).containsExactly("1 SUCCESS");
    }

    @Test
    @DisplayName("A message above the length limit, or with too many segments, fails")
    void tooLong() {
        DatagramStation few = new DatagramStation(
                1, DatagramService.UD, DatagramSettings.DEFAULT.with(DatagramLimit.MAX_MESSAGE, 1_000), 8);
        few.send(1, few.to(b), few.region(1_001), 0, 1_001);
        few.send(2, DatagramStation.group(), few.region(1_001), 0, 1_001);
        assertThat(few.sent()).isEmpty();
        assertThat(few.sends).containsExactlyInAnyOrder("1 LOC_LEN_ERR", "2 LOC_LEN_ERR");
        a.send(3, DatagramStation.group(), memory, 0, 65_537);
        a.send(4, a.to(b, 200), memory, 0, 1_000);
        assertThat(a.sent()).isEmpty();
        assertThat(a.sends).containsExactlyInAnyOrder("3 LOC_LEN_ERR", "4 LOC_LEN_ERR");
    }

    @Test
    @DisplayName("Deregistered memory fails its work request; no further byte of it is sent")
    void memoryGone() {
        TaggedBuffer first = a.region(5_000);
        a.send(1, a.to(b), first, 0, 5_000);
        a.send(2, a.to(c), memory, 0, 10);
        a.port.admits = peer -> a.port.admissions < 2;
        assertThat(a.sent()).hasSize(1);
        a.table.deregister(first);
        a.port.admits = peer -> true;
        assertThat(a.sent()).hasSize(1);
        assertThat(a.sends).containsExactlyInAnyOrder("1 LOC_PROT_ERR", "2 SUCCESS");
    }

    @Test
    @DisplayName("Deregistration fails queued work that uses the memory at once")
    void memoryGoneQueued() {
        TaggedBuffer first = a.region(5_000);
        DatagramDestination toB = a.to(b);
        a.send(1, toB, first, 0, 100);
        a.send(2, toB, memory, 0, 10);
        a.send(3, toB, first, 0, 10);
        a.port.admits = peer -> false;
        a.sent();
        assertThatThrownBy(() -> a.endpoint.deregistered(first, a.now)).isInstanceOf(IllegalArgumentException.class);
        a.table.deregister(first);
        a.endpoint.deregistered(first, a.now);
        assertThat(a.sends).containsExactly("1 LOC_PROT_ERR", "3 LOC_PROT_ERR");
        a.port.admits = peer -> true;
        a.sent();
        assertThat(a.sends).contains("2 SUCCESS");
    }

    @Test
    @DisplayName("A datagram that the kernel refuses fails its work request; the others continue")
    void unsendable() {
        DatagramDestination toB = a.to(b);
        a.send(1, toB, memory, 0, 3_000);
        a.send(2, toB, memory, 0, 10);
        a.read(3, toB, memory, 10, b.region(10), 0);
        a.port.poll(a.endpoint, a.now);
        a.port.transmit(new DatagramStation(5).endpoint, a.now);
        OutboundMessage first = a.port.wire.get(0).message;
        OutboundMessage read = a.port.wire.get(4).message;
        a.endpoint.onUnsendable(first, "too long for the path: 1200", a.now);
        a.endpoint.onUnsendable(read, "too long for the path: 1200", a.now);
        a.endpoint.onTransmitted(a.now);
        assertThat(a.sends).containsExactlyInAnyOrder("1 LOC_LEN_ERR", "2 SUCCESS", "3 LOC_LEN_ERR");
        assertThat(a.events).hasSize(2).allMatch(e -> e.startsWith("UNSENDABLE"));
        a.endpoint.onUnsendable(first, "again", a.now);
        assertThat(a.sends).hasSize(3);
    }

    @Tag("DG-4.5-3")
    @Test
    @DisplayName("Datagrams of nearly one length are made equal; the last is padded only if more is queued, by bytes")
    void pad() {
        DatagramDestination toB = a.to(b);
        int almost = 2 * DatagramStation.UNTAGGED - 100;
        a.send(1, toB, memory, 0, almost);
        a.send(2, toB, memory, 0, 2 * DatagramStation.UNTAGGED - 1_000);
        a.send(3, toB, memory, 0, almost);
        List<Datagram> wire = a.sent();
        assertThat(wire).extracting(d -> d.shim.padded()).containsExactly(false, true, false, false, false, false);
        assertThat(wire.get(1).segment.length).as("2 x 1,376 bytes for 2,748").isEqualTo(18 + 1_376);
        assertThat(wire.get(0).segment.length).isEqualTo(18 + 1_376);
        assertThat(wire.get(2).segment.length).as("if the last is short").isEqualTo(18 + DatagramStation.UNTAGGED);
        TaggedBuffer into = b.region(10_000);
        b.postReceive(1, into, 0, 5_000);
        b.postReceive(2, into, 5_000, 5_000);
        b.takeAll(wire, a);
        assertThat(b.receives).hasSize(2);
        assertThat(DatagramStation.octets(into, 0, almost)).isEqualTo(DatagramStation.octets(memory, 0, almost));
        assertThat(DatagramStation.octets(into, almost, 100))
                .as("padding is not placed")
                .containsOnly(0);
    }

    @Test
    @DisplayName("or if the padding is small compared to the whole message")
    void padOfLong() {
        DatagramDestination toB = a.to(b);
        int size = DatagramStation.UNTAGGED;
        a.send(1, toB, memory, 0, 4 * size - size / 2); // pad of a seventh
        a.send(2, toB, memory, 0, 5 * size - size / 2); // of a ninth
        a.send(3, toB, memory, 0, 1);
        assertThat(a.sent())
                .extracting(d -> d.shim.padded())
                .containsOnlyOnce(true)
                .element(8)
                .isEqualTo(true);
    }

    @Test
    @DisplayName("A work request flushed while its datagrams wait completes when they are sent")
    void stopInTransmission() {
        a.send(1, a.to(b), memory, 0, 3_000);
        a.port.admits = peer -> a.port.admissions < 2;
        a.port.poll(a.endpoint, a.now);
        a.endpoint.stop(a.now);
        assertThat(a.sends).isEmpty();
        a.port.transmit(a.endpoint, a.now);
        assertThat(a.sends).containsExactly("1 WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("When the port is closed, all work completes once")
    void detached() {
        a.send(1, a.to(b), memory, 0, 3_000);
        a.read(2, a.to(b), memory, 10, b.region(10), 0);
        a.send(3, a.to(c), memory, 0, 10);
        a.postReceive(4, memory, 0, 10);
        a.port.admits = peer -> a.port.admissions < 4;
        a.port.poll(a.endpoint, a.now);
        a.endpoint.onDetached(a.now);
        assertThat(a.sends).hasSize(3);
        assertThat(a.receives).containsExactly("4 WR_FLUSH_ERR");
        assertThat(a.sendQueue.size()).isZero();
        assertThat(a.receiveQueue.size()).isZero();
        a.endpoint.posted();
        a.endpoint.receivePosted();
        a.endpoint.completionsFreed();
    }
}
