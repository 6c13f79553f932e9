package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Messages between two datagram endpoints")
class DatagramMessagesTest {
    private final DatagramStation a = new DatagramStation(1);
    private final DatagramStation b = new DatagramStation(2);
    private final DatagramDestination toB = a.to(b);

    @Test
    @DisplayName("A Send of one datagram fills one receive, and names its sender")
    void singleSend() {
        TaggedBuffer source = a.random(100, 1);
        TaggedBuffer into = b.region(200);
        b.postReceive(5, into, 10, 150);
        a.send(1, toB, source, 0, 100);

        List<Datagram> wire = a.sent();
        assertThat(wire).hasSize(1);
        assertThat(wire.get(0).shim.segmentSize()).isEqualTo(100);
        // The control octets of DDP and RDMAP, and the word of the layer above.
        assertThat(wire.get(0).segment).startsWith(0x41, 0x43, 0, 0, 0, 0);
        assertThat(a.sends).containsExactly("1 SUCCESS");
        assertThat(b.take(wire.get(0), a)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(b.receives).containsExactly("5 SUCCESS 100/100 from 1001");
        assertThat(DatagramStation.octets(into, 10, 100)).isEqualTo(DatagramStation.octets(source));
        assertThat(b.counts()).isEqualTo("rx_ok=1");
    }

    @Tag("DG-4.5-1")
    @Tag("DG-7-1")
    @Tag("DG-7-13")
    @Test
    @DisplayName("A Send of many datagrams is complete for any order of arrival")
    void longSend() {
        TaggedBuffer source = a.random(100_000, 1);
        TaggedBuffer into = b.region(100_000);
        b.postReceive(5, into, 0, 100_000);
        a.post(
                DatagramOperation.Kind.SEND,
                1,
                toB,
                op -> op.solicited(true).memory().add(source, 0, 40_001));
        a.post(DatagramOperation.Kind.SEND, 2, toB, op -> {
            op.memory().add(source, 40_001, 0);
            op.memory().add(source, 0, 1);
        });

        List<Datagram> wire = a.sent();
        assertThat(wire).hasSize((40_001 + DatagramStation.UNTAGGED - 1) / DatagramStation.UNTAGGED + 1);
        Collections.shuffle(wire, new Random(3));
        wire.removeIf(d -> d.shim.messageLength() == 1);
        b.takeAll(wire, a);
        assertThat(b.receives).containsExactly("5 SUCCESS 40001/40001 from 1001 solicited");
        assertThat(DatagramStation.octets(into, 0, 40_001)).isEqualTo(DatagramStation.octets(source, 0, 40_001));
        assertThat(b.endpoint.openRecords()).isZero();
    }

    @Tag("DG-4.6-2")
    @Test
    @DisplayName("Sends take receives in the order of arrival, not of their Message Ids")
    void orderOfArrival() {
        TaggedBuffer source = a.random(100, 1);
        TaggedBuffer into = b.region(200);
        b.postReceive(1, into, 0, 100);
        b.postReceive(2, into, 100, 100);
        a.send(1, toB, source, 0, 20);
        a.send(2, toB, source, 0, 10);
        List<Datagram> wire = a.sent();
        b.take(wire.get(1), a);
        b.take(wire.get(0), a);
        assertThat(b.receives).containsExactly("1 SUCCESS 10/10 from 1001", "2 SUCCESS 20/20 from 1001");
    }

    @Tag("DG-7-12")
    @Test
    @DisplayName("Completions have the order in which messages end")
    void orderOfEnds() {
        TaggedBuffer source = a.random(5_000, 1);
        TaggedBuffer into = b.region(5_010);
        b.postReceive(1, into, 0, 5_000);
        b.postReceive(2, into, 5_000, 10);
        a.send(1, toB, source, 0, 5_000);
        a.send(2, toB, source, 0, 10);
        List<Datagram> wire = a.sent();
        b.take(wire.get(0), a);
        b.take(wire.get(wire.size() - 1), a);
        b.takeAll(wire.subList(1, wire.size() - 1), a);
        assertThat(b.receives).containsExactly("2 SUCCESS 10/10 from 1001", "1 SUCCESS 5000/5000 from 1001");
    }

    @Tag("DG-5.3-3")
    @Test
    @DisplayName("A Message Id far ahead does not expire others: sources have no window")
    void farAhead() {
        TaggedBuffer target = b.region(100);
        a.endpoint.sends.startAt(0x7000_0000);
        a.record(1, toB, a.random(10, 1), 10, target, 0);
        a.endpoint.sends.startAt(5);
        a.record(2, toB, a.random(10, 1), 10, target, 20);
        a.record(3, toB, a.random(10, 1), 10, target, 40);
        b.takeAll(a.sent(), a);
        assertThat(b.records).hasSize(3);
    }

    @Tag("DG-4.6-3")
    @Test
    @DisplayName("A Write-Record is placed and completes without a receive")
    void writeRecord() {
        TaggedBuffer source = a.random(5_000, 1);
        TaggedBuffer target = b.region(10_000);
        a.record(1, toB, source, 5_000, target, 300);
        a.record(2, toB, source, 40, target, 8_000);
        a.record(3, toB, source, 0, target, 0);
        b.takeAll(a.sent(), a);

        assertThat(a.sends).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(DatagramStation.octets(target, 300, 5_000)).isEqualTo(DatagramStation.octets(source));
        assertThat(b.records).hasSize(3);
        MessageRecord record = b.records.get(0);
        assertThat(record.status()).isEqualTo(OperationStatus.SUCCESS);
        assertThat(record.stag()).isEqualTo(target.stag());
        assertThat(record.baseOffset()).isEqualTo(target.baseOffset() + 300);
        assertThat(record.length()).isEqualTo(5_000);
        assertThat(record.validBytes()).isEqualTo(5_000);
        assertThat(record.map().isComplete()).isTrue();
        assertThat(record.map().contains(0, 5_000)).isTrue();
        assertThat(record.source()).isEqualTo(a.address);
        assertThat(record.sourceQpn()).isEqualTo(a.qpn);
        assertThat(DatagramStation.ranges(b.records.get(1))).isEqualTo("0+40");
        assertThat(b.records.get(2).length()).isZero();
        assertThat(b.records.get(2).map().isComplete()).isTrue();
    }

    @Tag("DG-7-9")
    @Test
    @DisplayName("An RDMA Write is placed without a completion, on RD alone")
    void write() {
        DatagramStation a = new DatagramStation(1, DatagramService.RD, DatagramSettings.DEFAULT, 8);
        DatagramStation b = new DatagramStation(2, DatagramService.RD, DatagramSettings.DEFAULT, 8);
        DatagramDestination toB = a.to(b);
        TaggedBuffer source = a.random(5_000, 1);
        TaggedBuffer target = b.region(5_000);
        a.write(1, toB, source, 5_000, target, 0);
        a.write(2, toB, source, 0, target, 1 << 30);
        List<Datagram> wire = a.sent();
        b.takeAll(wire, a);
        assertThat(DatagramStation.octets(target)).isEqualTo(DatagramStation.octets(source));
        assertThat(b.records).isEmpty();
        assertThat(b.receives).isEmpty();
        assertThat(b.endpoint.openRecords()).isZero();
        assertThat(b.counts()).isEqualTo("rx_ok=" + wire.size());

        this.a.write(3, this.toB, source, 10, target, 0);
        assertThat(this.a.sent()).isEmpty();
        assertThat(this.a.sends).containsExactly("3 LOC_QP_OP_ERR");
    }

    @Tag("DG-8-1")
    @Tag("DG-8-6")
    @Test
    @DisplayName("A Read transfers a range of any length")
    void read() {
        for (int size : new int[] {0, 1, DatagramStation.TAGGED, DatagramStation.TAGGED + 1, 64 << 10}) {
            TaggedBuffer source = b.random(64 << 10, size);
            TaggedBuffer sink = a.region((64 << 10) + 1);
            a.read(size, toB, sink, size, source, 0);
            b.takeAll(a.sent(), a);
            List<Datagram> answer = b.sent();
            Collections.shuffle(answer, new Random(size));
            a.takeAll(answer, b);
            assertThat(a.sends).contains(size + " SUCCESS");
            assertThat(DatagramStation.octets(sink, 0, size)).isEqualTo(DatagramStation.octets(source, 0, size));
            assertThat(DatagramStation.octets(sink, size, (64 << 10) + 1 - size))
                    .containsOnly(0);
        }
        assertThat(a.endpoint.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.readRecords).isEmpty();
    }

    @Test
    @DisplayName("64 KiB at MTU 1500 is 46 datagrams")
    void fortySix() {
        TaggedBuffer source = a.region(64 << 10);
        a.record(1, toB, source, 64 << 10, b.region(64 << 10), 0);
        assertThat(a.sent()).hasSize(46);
    }

    @Tag("DG-G.3-1")
    @Test
    @DisplayName("Group messages carry the group's queue pair and Key, and complete as such")
    void group() {
        TaggedBuffer source = a.random(3_000, 1);
        TaggedBuffer target = b.region(3_000);
        b.postReceive(9, b.region(3_000), 0, 3_000);
        DatagramDestination group = DatagramStation.group();
        a.send(1, group, source, 0, 3_000);
        a.record(2, group, source, 3_000, target, 0);
        a.write(3, group, source, 10, target, 0);
        a.read(4, group, source, 10, target, 0);
        List<Datagram> wire = a.sent();
        assertThat(wire).hasSize(6).allSatisfy(d -> {
            assertThat(d.shim.group()).isTrue();
            assertThat(d.shim.destinationQpn()).isEqualTo(0xff_ffff);
            assertThat(d.shim.key()).isEqualTo(77);
        });
        b.takeAll(wire, a);
        assertThat(b.receives).containsExactly("9 SUCCESS 3000/3000 from 1001 group");
        assertThat(b.records).hasSize(1).allMatch(MessageRecord::group);
        assertThat(a.sends).containsExactlyInAnyOrder("1 SUCCESS", "2 SUCCESS", "3 LOC_QP_OP_ERR", "4 LOC_QP_OP_ERR");
    }
}
