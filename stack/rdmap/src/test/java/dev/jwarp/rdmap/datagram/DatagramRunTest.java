package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.datagram.SegmentFate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Consecutive segments of one message take a fast path with the same results. */
@DisplayName("Consecutive segments")
class DatagramRunTest {
    private static final int LENGTH = 20_000;
    private static final int MEMORY = 1 << 20;

    private final DatagramStation from = new DatagramStation(1);
    private final DatagramStation one = new DatagramStation(2);
    private final DatagramStation another = new DatagramStation(2);
    private final TaggedBuffer source = from.random(LENGTH, 3);
    private final TaggedBuffer target = one.region(MEMORY);
    private final TaggedBuffer sameTarget = another.region(MEMORY);

    private List<Datagram> record(int id, int length) {
        assertThat(sameTarget.stag()).isEqualTo(target.stag());
        from.record(id, from.to(one), source, length, target, id * (long) LENGTH);
        return from.sent();
    }

    private List<Datagram> send(int id, int length) {
        for (DatagramStation station : List.of(one, another)) {
            TaggedBuffer into = station == one ? target : sameTarget;
            station.postReceive(id, into, id * LENGTH, LENGTH);
        }
        from.send(id, from.to(one), source, 0, length);
        return from.sent();
    }

    @Test
    @DisplayName("take the fast path, except the first and the last of a Write-Record and of a Send")
    void together() {
        List<Datagram> written = record(0, LENGTH);
        assertThat(one.takeTogether(written, from)).isEqualTo(written.size() - 2);
        List<Datagram> sent = send(1, LENGTH);
        assertThat(one.takeTogether(sent, from)).isEqualTo(sent.size() - 2);
        assertThat(DatagramStation.octets(target, 0, LENGTH)).isEqualTo(DatagramStation.octets(source));
        assertThat(DatagramStation.octets(target, LENGTH, LENGTH)).isEqualTo(DatagramStation.octets(source));
        assertThat(one.records).hasSize(1);
        assertThat(one.receives).hasSize(1);
        assertThat(one.count(DatagramCounter.RX_OK)).isEqualTo(written.size() + sent.size());
    }

    @Test
    @DisplayName("are not placed after their memory is deregistered")
    void deregistered() {
        List<Datagram> all = record(0, LENGTH);
        one.take(all.get(0), from);
        one.table.deregister(target);
        assertThat(one.takeBehind(all.get(0), all.subList(1, 3), from)).isZero();
        assertThat(DatagramStation.octets(target, 1_428, 1_428)).containsOnly(0);
    }

    @Test
    @DisplayName("end their message on the normal path, even if the last segment arrived earlier")
    void lastFirst() {
        List<Datagram> all = record(0, LENGTH);
        int last = all.size() - 1;
        assertThat(one.take(all.get(last), from)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(one.takeTogether(all.subList(0, last), from)).isEqualTo(last - 2);
        assertThat(one.records).hasSize(1);
        assertThat(one.records.get(0).map().isComplete()).isTrue();
    }

    @Test
    @DisplayName("are refused if the last has full length and no last bit")
    void lastWithoutFlag() {
        List<Datagram> all = record(0, 14 * DatagramStation.TAGGED);
        assertThat(all).hasSize(14);
        all.get(13).octet(0, all.get(13).segment[0] & ~0x40);
        all.remove(5); // otherwise it would be the last missing segment, too
        assertThat(one.takeTogether(all, from)).isEqualTo(10);
        assertThat(one.count(DatagramCounter.SEG_SHAPE)).isEqualTo(1);
        assertThat(one.records).isEmpty();
    }

    private static List<Datagram> disturbed(List<Datagram> all, Random random) {
        List<Datagram> wire = new ArrayList<>();
        for (Datagram datagram : all) {
            switch (random.nextInt(40)) {
                case 0 -> {}
                case 1 -> {
                    wire.add(datagram);
                    wire.add(datagram);
                }
                case 2 -> {
                    Datagram changed = datagram.copy();
                    int at = random.nextInt(18); // of the DDP header
                    wire.add(changed.octet(at, changed.segment[at] ^ 1 << random.nextInt(8)));
                }
                case 3 -> {
                    Datagram changed = datagram.copy();
                    changed.shim.segment(random.nextInt(20), datagram.shim.segmentSize());
                    wire.add(changed);
                }
                default -> wire.add(datagram);
            }
        }
        for (int i = random.nextInt(3); i > 0 && wire.size() > 1; i--) {
            int at = random.nextInt(wire.size() - 1);
            Collections.swap(wire, at, at + 1);
        }
        return wire;
    }

    private static String outcome(DatagramStation station, TaggedBuffer memory) {
        StringBuilder text = new StringBuilder(station.counts());
        station.records.forEach(record -> text.append(record.status())
                .append(' ')
                .append(DatagramStation.ranges(record))
                .append('\n'));
        return text.append(station.receives)
                .append(station.events)
                .append(station.endpoint.openRecords())
                .append(' ')
                .append(java.util.Arrays.hashCode(DatagramStation.octets(memory)))
                .toString();
    }

    @Property
    @Label("have the same results as single segments, with any loss, duplication, change or reordering")
    void same(@ForAll long seed) {
        Random random = new Random(seed);
        List<Datagram> wire = new ArrayList<>();
        for (int id = 0; id < 6; id++) {
            int length = 1 + random.nextInt(LENGTH);
            wire.addAll(random.nextBoolean() ? record(id, length) : send(id, length));
        }
        List<Datagram> disturbed = random.nextInt(8) == 0 ? wire : disturbed(wire, random);
        disturbed.forEach(datagram -> one.take(datagram, from));
        another.takeTogether(disturbed, from);
        assertThat(outcome(another, sameTarget)).isEqualTo(outcome(one, target));
        one.pass(300 * DatagramStation.MILLI);
        another.pass(300 * DatagramStation.MILLI);
        assertThat(outcome(another, sameTarget)).isEqualTo(outcome(one, target));
    }
}
