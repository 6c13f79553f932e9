package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("datagram-iWARP §7 and §13: half received messages end in time, and stay within their limits")
class DatagramRecordsTest {
    private static final long MILLI = DatagramStation.MILLI;
    private static final int LENGTH = 5_000;

    private final DatagramStation a = new DatagramStation(1);
    private final DatagramStation other = new DatagramStation(4);
    private final TaggedBuffer source = a.random(100_000, 1);

    private static DatagramStation receiver(DatagramSettings settings, int receives) {
        return new DatagramStation(2, DatagramService.UD, settings, receives);
    }

    private List<Datagram> record(DatagramStation from, DatagramStation to, TaggedBuffer target, long offset) {
        from.record(1, from.to(to), from.random(LENGTH, 1), LENGTH, target, offset);
        return from.sent();
    }

    private List<Datagram> send(DatagramStation from, DatagramStation to, int length) {
        from.send(1, from.to(to), from.random(length, 1), 0, length);
        return from.sent();
    }

    private static List<String> statuses(DatagramStation station) {
        return station.records.stream().map(r -> r.status().name()).toList();
    }

    @Tag("DG-7-2")
    @Tag("DG-7-8")
    @Tag("DG-7-11")
    @Test
    @DisplayName("A Write-Record without a new segment for T_idle ends PARTIAL, with the map of placed segments")
    void partial() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(LENGTH);
        List<Datagram> wire = record(a, b, target, 0);
        b.take(wire.get(3), a);
        assertThat(b.port.timeoutChanges).isEqualTo(1);
        b.pass(60 * MILLI);
        b.take(wire.get(1), a);
        b.pass(99 * MILLI);
        assertThat(b.records).isEmpty();
        b.take(wire.get(1), a); // a duplicate is nothing new
        b.pass(MILLI);
        assertThat(statuses(b)).containsExactly("PARTIAL");
        MessageRecord record = b.records.get(0);
        assertThat(DatagramStation.ranges(record)).isEqualTo("1428+1428 4284+716");
        assertThat(record.validBytes()).isEqualTo(1428 + 716);
        assertThat(record.map().contains(1428, 1428)).isTrue();
        assertThat(record.map().contains(1427, 2)).isFalse();
        assertThat(b.endpoint.openRecords()).isZero();
        b.takeAll(wire, a);
        assertThat(b.records).hasSize(1);
        assertThat(b.count(DatagramCounter.LATE)).isEqualTo(4);
        assertThat(b.count(DatagramCounter.RECORDS_PARTIAL)).isEqualTo(1);
    }

    @Tag("DG-7-10")
    @Test
    @DisplayName("Two Write-Records to the same range have separate maps")
    void overlapping() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(LENGTH);
        List<Datagram> first = record(a, b, target, 0);
        List<Datagram> second = record(a, b, target, 0);
        first.remove(0);
        second.remove(2);
        b.takeAll(first, a);
        b.takeAll(second, a);
        b.pass(100 * MILLI);
        assertThat(b.records)
                .extracting(DatagramStation::ranges)
                .containsExactlyInAnyOrder("1428+3572", "0+2856 4284+716");
    }

    @Tag("DG-7-11")
    @Test
    @DisplayName("A slow but even message extends its time limit; when it stops, by 8 gaps between datagrams")
    void slow() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(100_000);
        for (int round = 0; round < 2; round++) {
            a.record(round, a.to(b), source, 100_000, target, 0);
            List<Datagram> wire = a.sent(); // 71 segments, 50 ms apart: 3.5 s, more than 1.1 s
            for (Datagram segment : wire.subList(0, round == 0 ? wire.size() : 30)) {
                b.take(segment, a, false); // as a stranger, because a sender may be paced for that reason
                b.pass(50 * MILLI);
            }
        }
        assertThat(statuses(b)).containsExactly("SUCCESS");
        b.pass(7 * 50 * MILLI - 1);
        assertThat(statuses(b)).hasSize(1);
        b.pass(1);
        assertThat(statuses(b)).containsExactly("SUCCESS", "PARTIAL");
    }

    @Test
    @DisplayName("A sender that slows down holds a record for 60 s at most, and an idle one for 1 s")
    void everMoreSlowly() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(200_000);
        a.record(1, a.to(b), a.random(200_000, 2), 200_000, target, 0);
        List<Datagram> wire = a.sent();
        long begin = b.now;
        for (int i = 0; b.records.isEmpty(); i++) {
            b.take(wire.get(i), a);
            b.pass((i < 8 ? 50 : i < 20 ? 380 : 999) * MILLI);
        }
        assertThat(statuses(b)).containsExactly("PARTIAL");
        assertThat(b.now - begin).isBetween(60_000 * MILLI, 61_000 * MILLI);
    }

    @Test
    @DisplayName("A message that arrives too slowly ends after T_max")
    void longest() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.MESSAGE_NANOS, 200 * MILLI), 8);
        TaggedBuffer target = b.region(LENGTH);
        List<Datagram> wire = record(a, b, target, 0);
        for (int i = 0; i < 3; i++) {
            b.take(wire.get(i), a);
            b.pass(90 * MILLI);
        }
        // 200 ms and 5 ms for its length.
        assertThat(statuses(b)).containsExactly("PARTIAL");
        assertThat(b.records.get(0).validBytes()).isEqualTo(3 * DatagramStation.TAGGED);
    }

    @Test
    @DisplayName("Times can be changed for messages that begin afterwards")
    void otherTimes() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(3 * LENGTH);
        b.take(record(a, b, target, 0).get(0), a);
        b.endpoint.settings(DatagramSettings.DEFAULT.with(DatagramLimit.IDLE_NANOS, 10 * MILLI));
        b.take(record(a, b, target, LENGTH).get(0), a);
        b.pass(10 * MILLI);
        assertThat(b.records).hasSize(1);
        assertThat(b.records.get(0).baseOffset()).isEqualTo(target.baseOffset() + LENGTH);
    }

    @Tag("DG-7-3")
    @Test
    @DisplayName("The receive of an incomplete Send goes back to the head without a completion")
    void recycle() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer into = b.region(30_000);
        b.postReceive(1, into, 0, 10_000);
        b.postReceive(2, into, 10_000, 10_000);
        List<Datagram> lost = send(a, b, LENGTH);
        b.take(lost.get(0), a);
        b.pass(100 * MILLI);
        assertThat(b.receives).isEmpty();
        assertThat(b.count(DatagramCounter.SENDS_LOST)).isEqualTo(1);
        b.takeAll(lost, a);
        assertThat(b.receives)
                .as("its late segments do not take the receive again")
                .isEmpty();
        b.takeAll(send(a, b, 10), a);
        assertThat(b.receives).containsExactly("1 SUCCESS 10/10 from 1001");
    }

    @Tag("DG-7-4")
    @Test
    @DisplayName("With report-incomplete, an incomplete Send completes its receive with the map of placed segments")
    void report() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.REPORT_INCOMPLETE, 1), 8);
        b.postReceive(1, b.region(10_000), 0, 10_000);
        List<Datagram> wire = send(a, b, LENGTH);
        b.take(wire.get(2), a);
        b.pass(100 * MILLI);
        assertThat(b.receives).containsExactly("1 INCOMPLETE 1424/5000 from 1001");
        assertThat(DatagramStation.ranges(b.incomplete.get(0))).isEqualTo("2848+1424");
        b.incomplete.get(0).release();
    }

    @Tag("DG-7-6")
    @Tag("DG-15-2")
    @Test
    @DisplayName("Deregistration ends half received messages into the memory")
    void deregistered() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(LENGTH);
        TaggedBuffer into = b.region(LENGTH);
        b.postReceive(1, into, 0, LENGTH);
        List<Datagram> record = record(a, b, target, 0);
        List<Datagram> send = send(a, b, LENGTH);
        b.take(record.get(0), a);
        b.take(send.get(0), a);
        b.table.deregister(target);
        b.table.deregister(into);
        b.endpoint.deregistered(target, b.now);
        assertThat(statuses(b)).containsExactly("ABORTED");
        assertThat(b.receives).containsExactly("1 LOC_PROT_ERR");
        byte[] before = DatagramStation.octets(target);
        b.takeAll(record, a);
        b.takeAll(send, a);
        assertThat(DatagramStation.octets(target)).isEqualTo(before);
        assertThat(b.records).hasSize(1);
    }

    @Test
    @DisplayName("Deregistered memory is not written to, even without a call of deregistered()")
    void deregisteredUnsaid() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(LENGTH);
        TaggedBuffer into = b.region(LENGTH);
        b.postReceive(1, into, 0, LENGTH);
        b.postReceive(2, into, 0, LENGTH);
        List<Datagram> record = record(a, b, target, 0);
        List<Datagram> send = send(a, b, LENGTH);
        b.take(record.get(0), a);
        b.take(send.get(0), a);
        b.table.deregister(target);
        b.table.deregister(into);
        byte[] before = DatagramStation.octets(target);
        b.take(record.get(1), a);
        b.take(send.get(1), a);
        assertThat(DatagramStation.octets(target)).isEqualTo(before);
        assertThat(statuses(b)).containsExactly("ABORTED");
        b.take(send(a, b, 10).get(0), a);
        assertThat(b.receives).containsExactly("1 LOC_PROT_ERR", "2 LOC_PROT_ERR");
    }

    @Tag("DG-7-5")
    @Tag("DG-13-5")
    @Test
    @DisplayName("At the limit of a source, its oldest record is displaced")
    void perSource() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS_PER_SOURCE, 3), 8);
        TaggedBuffer target = b.region(100_000);
        DatagramStation c = new DatagramStation(3);
        b.take(record(c, b, target, 0).get(0), c);
        for (int i = 0; i < 5; i++) {
            b.take(record(a, b, target, (long) i * LENGTH).get(0), a);
        }
        assertThat(statuses(b)).containsExactly("EVICTED", "EVICTED");
        assertThat(b.records).allMatch(r -> r.source().equals(a.address));
        assertThat(b.records.get(1).baseOffset() - target.baseOffset()).isEqualTo(LENGTH);
        assertThat(b.count(DatagramCounter.RECORDS_EVICTED)).isEqualTo(2);
        assertThat(b.endpoint.openRecords()).isEqualTo(4);
    }

    @Tag("DG-7-5")
    @Tag("DG-13-5")
    @Test
    @DisplayName("At the limit of all records, the oldest is displaced")
    void all() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 16), 8);
        TaggedBuffer target = b.region(LENGTH);
        for (int i = 0; i < 20; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            b.take(record(c, b, target, 0).get(0), c);
            b.now += MILLI;
        }
        assertThat(b.records).hasSize(4);
        assertThat(b.records.get(0).sourceQpn()).isEqualTo(0x1000 + 10);
        assertThat(b.endpoint.openRecords()).isEqualTo(16);
    }

    @Test
    @DisplayName("Sources without a proved address share a quarter, and never displace others")
    void strangers() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 16), 32);
        TaggedBuffer target = b.region(LENGTH);
        b.take(record(a, b, target, 0).get(0), a);
        for (int i = 0; i < 40; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            b.take(record(c, b, target, 0).get(0), c, false);
        }
        assertThat(b.endpoint.openRecords()).isEqualTo(5);
        assertThat(statuses(b)).hasSize(36).containsOnly("EVICTED");
        assertThat(b.records).noneMatch(r -> r.source().equals(a.address));
    }

    /** {@return the first segment of a message, as if from that port of its host} */
    private static SegmentFate from(int port, Datagram first, DatagramStation of, DatagramStation to, boolean known) {
        DatagramAddress at = new DatagramAddress().setIpv4((int) of.address.low(), 10_000 + port);
        return to.take(first, at, known, null);
    }

    @Tag("DG-13-6")
    @Test
    @DisplayName("A host with many ports displaces its own messages, not another host's: records, receives and bits")
    void manyPorts() {
        for (boolean known : new boolean[] {true, false}) {
            DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 16), 64);
            TaggedBuffer target = b.region(LENGTH);
            DatagramStation c = new DatagramStation(3);
            List<Datagram> good = record(c, b, target, 0);
            b.take(good.get(0), c, known);
            for (int port = 0; port < 40; port++) {
                assertThat(from(port, record(a, b, target, 0).get(0), a, b, known))
                        .isEqualTo(SegmentFate.ACCEPTED);
            }
            assertThat(statuses(b)).hasSize(known ? 25 : 37).containsOnly("EVICTED");
            good.subList(1, good.size()).forEach(segment -> b.take(segment, c, known));
            assertThat(statuses(b)).endsWith("SUCCESS");
        }
        DatagramStation b = receiver(DatagramSettings.DEFAULT, 8);
        for (int i = 0; i < 8; i++) {
            b.postReceive(i, b.region(LENGTH), 0, LENGTH);
        }
        DatagramStation c = new DatagramStation(3);
        List<Datagram> good = send(c, b, LENGTH);
        b.take(good.get(0), c);
        for (int port = 0; port < 20; port++) {
            assertThat(from(port, send(a, b, LENGTH).get(0), a, b, true)).isEqualTo(SegmentFate.ACCEPTED);
        }
        b.takeAll(good.subList(1, good.size()), c);
        assertThat(b.receives).singleElement().asString().contains("SUCCESS 5000/5000 from 1003");

        DatagramStation bits = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.BITMAP_MEMORY, 64 << 10), 8);
        bits.releaseAtOnce = true;
        TaggedBuffer target = bits.region(16 << 20);
        TaggedBuffer huge = c.random(16 << 20, 1);
        TaggedBuffer mine = a.region(16 << 20);
        bits.take(firstOf(c, huge, bits, target), c);
        for (int port = 0; port < 20; port++) {
            from(port, firstOf(a, mine, bits, target), a, bits, true);
        }
        assertThat(bits.records)
                .hasSizeGreaterThan(10)
                .noneMatch(r -> r.source().equals(c.address));
    }

    @Tag("DG-13-6")
    @Test
    @DisplayName("At the limit of bits, the host with the most bits is displaced, not the one with the most messages")
    void largeMessages() {
        for (boolean known : new boolean[] {true, false}) {
            DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.BITMAP_MEMORY, 64 << 10), 32);
            b.releaseAtOnce = true;
            TaggedBuffer target = b.region(16 << 20);
            DatagramStation small = new DatagramStation(3);
            for (int i = 0; i < 6; i++) {
                b.take(record(small, b, target, 0).get(0), small, known);
            }
            for (int i = 0; i < 20; i++) {
                for (DatagramStation large : List.of(a, other)) {
                    b.take(firstOf(large, large.region(16 << 20), b, target), large, known);
                }
            }
            assertThat(b.records).isNotEmpty().noneMatch(r -> r.source().equals(small.address));
        }
    }

    @Test
    @DisplayName("The share of strangers is a setting")
    void strangersPercent() {
        DatagramStation b = receiver(
                DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 16).with(DatagramLimit.STRANGERS_PERCENT, 50), 32);
        TaggedBuffer target = b.region(LENGTH);
        for (int i = 0; i < 40; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            b.take(record(c, b, target, 0).get(0), c, false);
        }
        assertThat(b.endpoint.openRecords()).isEqualTo(8);
    }

    @Test
    @DisplayName("Strangers share a quarter of the receives and of the bits, too")
    void strangersShareOfTheRest() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.BITMAP_MEMORY, 64 << 10), 32);
        for (int i = 0; i < 32; i++) {
            b.postReceive(i, b.region(LENGTH), 0, LENGTH);
        }
        for (int i = 0; i < 10; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            b.take(send(c, b, LENGTH).get(0), c, false);
        }
        assertThat(b.endpoint.openRecords())
                .as("half of 32 for Sends, a quarter of that")
                .isEqualTo(4);

        b.pass(200 * MILLI);
        b.releaseAtOnce = true;
        TaggedBuffer target = b.region(16 << 20);
        TaggedBuffer huge = a.region(16 << 20);
        for (int i = 0; i < 5; i++) {
            b.take(firstOf(huge, b, target), a, false);
        }
        assertThat(b.endpoint.openRecords()).as("16 KiB hold the bits of two").isEqualTo(2);
    }

    @Test
    @DisplayName("A sender to a group counts as a stranger")
    void groupSourcesAreStrangers() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 16), 32);
        TaggedBuffer target = b.region(LENGTH);
        for (int i = 0; i < 10; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            Datagram first = record(c, b, target, 0).get(0);
            first.shim.flags(false, false, true, false);
            assertThat(b.take(first, c, true)).isEqualTo(SegmentFate.ACCEPTED);
        }
        assertThat(b.endpoint.openRecords()).isEqualTo(4);
    }

    @Test
    @DisplayName("If known sources hold all records, a stranger's message is dropped")
    void strangersFindNoRoom() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 16), 32);
        TaggedBuffer target = b.region(LENGTH);
        for (int i = 0; i < 16; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            b.take(record(c, b, target, 0).get(0), c);
        }
        assertThat(b.take(record(a, b, target, 0).get(0), a, false)).isEqualTo(SegmentFate.NOT_READY);
        assertThat(b.count(DatagramCounter.RECORD_FULL)).isEqualTo(1);
        assertThat(b.records).isEmpty();
    }

    @Tag("DG-13-5")
    @Test
    @DisplayName("Half received Sends hold at most half of the receives, and eight per source")
    void receives() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT, 8);
        TaggedBuffer into = b.region(LENGTH);
        for (int i = 0; i < 8; i++) {
            b.postReceive(i, into, 0, LENGTH);
        }
        for (int i = 0; i < 10; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            b.take(send(c, b, LENGTH).get(0), c);
        }
        assertThat(b.endpoint.openRecords()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            assertThat(b.take(send(a, b, 10).get(0), a)).isEqualTo(SegmentFate.ACCEPTED);
        }
        assertThat(b.take(send(a, b, 10).get(0), a)).isEqualTo(SegmentFate.NOT_READY);
        assertThat(b.receives).hasSize(4);

        DatagramStation quarter = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.RECEIVES_PERCENT, 25), 8);
        for (int i = 0; i < 8; i++) {
            quarter.postReceive(i, quarter.region(LENGTH), 0, LENGTH);
        }
        for (int i = 0; i < 10; i++) {
            DatagramStation c = new DatagramStation(10 + i);
            quarter.take(send(c, quarter, LENGTH).get(0), c);
        }
        assertThat(quarter.endpoint.openRecords()).isEqualTo(2);

        DatagramStation wide = receiver(DatagramSettings.DEFAULT, 64);
        for (int i = 0; i < 64; i++) {
            wide.postReceive(i, wide.region(LENGTH), 0, LENGTH);
        }
        for (int i = 0; i < 12; i++) {
            wide.take(send(a, wide, LENGTH).get(0), a);
        }
        assertThat(wide.endpoint.openRecords()).isEqualTo(8);
    }

    @Test
    @DisplayName("With a single receive, a newer long Send displaces an incomplete one")
    void oneReceive() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT, 1);
        b.postReceive(1, b.region(LENGTH), 0, LENGTH);
        b.take(send(a, b, LENGTH).get(0), a);
        b.takeAll(send(a, b, LENGTH), a);
        assertThat(b.receives).containsExactly("1 SUCCESS 5000/5000 from 1001");
        assertThat(b.count(DatagramCounter.RECORDS_EVICTED)).isEqualTo(1);
    }

    @Test
    @DisplayName("The bitmaps of half received messages stay within their limit")
    void bitmaps() {
        DatagramStation b = receiver(
                DatagramSettings.DEFAULT
                        .with(DatagramLimit.BITMAP_MEMORY, 64 << 10)
                        .with(DatagramLimit.RECORDS_PER_SOURCE, 1_000),
                8);
        int long16 = 16 << 20;
        TaggedBuffer target = b.region(long16);
        TaggedBuffer huge = a.region(long16);
        b.releaseAtOnce = true;
        // 16 MiB in segments of 256 octets are 65,536 bits: 8 KiB. Eight fit.
        for (int i = 0; i < 10; i++) {
            assertThat(b.take(firstOf(huge, b, target), a)).isEqualTo(SegmentFate.ACCEPTED);
        }
        assertThat(b.endpoint.openRecords()).isEqualTo(8);
        assertThat(b.records).hasSize(2);
        b.releaseAtOnce = false;
        b.take(firstOf(huge, b, target), a);
        assertThat(b.take(firstOf(huge, b, target), a))
                .as("unreleased records keep their bitmaps")
                .isEqualTo(SegmentFate.NOT_READY);
        assertThat(b.count(DatagramCounter.RECORD_FULL)).isEqualTo(2);
    }

    private Datagram firstOf(TaggedBuffer huge, DatagramStation b, TaggedBuffer target) {
        return firstOf(a, huge, b, target);
    }

    private static Datagram firstOf(DatagramStation from, TaggedBuffer huge, DatagramStation b, TaggedBuffer target) {
        from.record(1, from.to(b, 256 + 42), huge, (int) huge.length(), target, 0);
        from.port.admissions = 0;
        from.port.admits = peer -> from.port.admissions < 2;
        Datagram first = from.sent().get(0);
        assertThat(first.shim.segmentSize()).isEqualTo(256);
        from.endpoint.stop(from.now);
        from.endpoint.resume();
        return first;
    }

    @Test
    @DisplayName("Completions wait for the completion queue; with too many, new Write-Records are dropped and reported")
    void log() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.WRITE_RECORD_LOG, 2), 8);
        TaggedBuffer target = b.region(LENGTH);
        b.completionPlaces = 1;
        List<Datagram> wire = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            a.record(i, a.to(b), source, 10 + i, target, 0);
        }
        wire.addAll(a.sent());
        b.takeAll(wire, a);
        assertThat(b.records).hasSize(1);
        assertThat(b.counts()).isEqualTo("rx_ok=3 record_full=2");
        assertThat(b.events).hasSize(1).allMatch(e -> e.startsWith("RECORDS_DROPPED"));
        b.now += 1_000 * MILLI;
        b.take(wire.get(4), a);
        assertThat(b.events).hasSize(2);

        b.completionPlaces = 100;
        int rings = b.port.doorbells;
        b.endpoint.completionsFreed();
        assertThat(b.port.doorbells).isEqualTo(rings + 1);
        b.sent();
        assertThat(b.records).extracting(MessageRecord::length).containsExactly(10L, 11L, 12L);
        b.take(wire.get(4), a);
        assertThat(b.records).hasSize(4);
    }

    @Test
    @DisplayName("A record stays unchanged until it is released, and is reused then")
    void release() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(LENGTH);
        b.take(record(a, b, target, 0).get(0), a);
        b.pass(100 * MILLI);
        MessageRecord first = b.records.get(0);
        b.takeAll(record(a, b, target, 0), a);
        assertThat(b.records.get(1)).isNotSameAs(first);
        assertThat(first.validBytes()).isEqualTo(DatagramStation.TAGGED);
        first.release();
        b.takeAll(record(a, b, target, 0), a);
        assertThat(b.records.get(2)).isSameAs(first);
        assertThat(first.status()).isEqualTo(OperationStatus.SUCCESS);
    }

    @Test
    @DisplayName("The validity of a region is the union of its open and unreleased Write-Records")
    void regionValidity() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(20_000);
        List<Datagram> first = record(a, b, target, 0);
        List<Datagram> second = record(a, b, target, 4_284);
        b.take(first.get(1), a);
        b.take(first.get(3), a);
        b.takeAll(second, a);
        StringBuilder ranges = new StringBuilder();
        b.endpoint.validity(
                target,
                target.baseOffset() + 1_430,
                10_000,
                (offset, length) ->
                        ranges.append(offset).append('+').append(length).append(' '));
        assertThat(ranges.toString()).isEqualTo("0+1426 2854+5000 ");
        b.records.get(0).release();
        ranges.setLength(0);
        b.endpoint.validity(
                target,
                target.baseOffset(),
                20_000,
                (offset, length) ->
                        ranges.append(offset).append('+').append(length).append(' '));
        assertThat(ranges.toString()).isEqualTo("1428+1428 4284+716 ");
    }

    @Tag("DG-7-6")
    @Tag("DG-15-1")
    @Test
    @DisplayName("A queue pair in error flushes all work and receives nothing; after resume it works again")
    void stop() {
        DatagramStation b = receiver(DatagramSettings.DEFAULT.with(DatagramLimit.REPORT_INCOMPLETE, 1), 8);
        TaggedBuffer target = b.region(LENGTH);
        b.postReceive(1, b.region(LENGTH), 0, LENGTH);
        b.postReceive(2, b.region(LENGTH), 0, LENGTH);
        b.take(record(a, b, target, 0).get(0), a);
        b.take(send(a, b, LENGTH).get(0), a);
        DatagramDestination toA = b.to(a);
        b.send(3, toA, target, 0, 10);
        b.read(4, toA, target, 10, a.region(10), 0);
        b.read(5, toA, target, 10, a.region(10), 0);
        b.endpoint.stop(b.now);
        assertThat(statuses(b)).containsExactly("ABORTED");
        assertThat(b.receives).containsExactlyInAnyOrder("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
        assertThat(b.sends).containsExactly("3 WR_FLUSH_ERR", "4 WR_FLUSH_ERR", "5 WR_FLUSH_ERR");
        b.postReceive(6, target, 0, LENGTH);
        b.send(7, toA, target, 0, 10);
        assertThat(b.sent()).isEmpty();
        assertThat(b.receives).contains("6 WR_FLUSH_ERR");
        assertThat(b.sends).contains("7 WR_FLUSH_ERR");
        assertThat(b.take(record(a, b, target, 0).get(0), a)).isEqualTo(SegmentFate.DROPPED);
        assertThat(b.count(DatagramCounter.RX_STOPPED)).isEqualTo(1);

        b.endpoint.resume();
        b.send(8, toA, target, 0, 10);
        assertThat(b.sent()).hasSize(1);
        assertThat(b.sends).contains("8 SUCCESS");
        b.endpoint.onDetached(b.now);
        assertThat(b.detached).isEqualTo(1);
    }
}
