package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import dev.jwarp.vectors.Whole;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any subset, order and multiplicity of a message's datagrams. */
class DatagramPropertiesTest {
    private static final int MARGIN = 4_096;
    private static final byte UNTOUCHED = 0x5A;

    /** A region between margins of memory that must stay unchanged. */
    private static final class Fenced {
        final ByteBuffer memory;
        final TaggedBuffer region;

        Fenced(DatagramStation station, int length) {
            memory = ByteBuffer.allocateDirect(length + 2 * MARGIN);
            for (int i = 0; i < memory.capacity(); i++) {
                memory.put(i, UNTOUCHED);
            }
            region = station.table.register(
                    DatagramStation.DOMAIN,
                    memory.slice(MARGIN, length),
                    0x7000_0000_0000L,
                    Access.LOCAL_WRITE | Access.RECORD | Access.REMOTE_READ);
        }

        void fenceHolds() {
            for (int i = 0; i < MARGIN; i++) {
                assertThat(memory.get(i)).isEqualTo(UNTOUCHED);
                assertThat(memory.get(memory.capacity() - 1 - i)).isEqualTo(UNTOUCHED);
            }
        }

        /** The bytes equal {@code source} in segments whose bit is set, and are untouched elsewhere. */
        void holds(byte[] source, BitSet segments, int segmentSize) {
            for (int i = 0; i < memory.capacity(); i++) {
                int at = i - MARGIN;
                boolean placed = at >= 0 && at < source.length && segments.get(at / segmentSize);
                if (memory.get(i) != (placed ? source[at] : UNTOUCHED)) {
                    throw new AssertionError("byte " + at + " is wrong");
                }
            }
        }
    }

    private static List<Datagram> some(List<Datagram> all, Random random, int keepPercent) {
        List<Datagram> chosen = new ArrayList<>();
        for (Datagram datagram : all) {
            if (random.nextInt(100) < keepPercent) {
                for (int n = 1 + (random.nextInt(4) == 0 ? random.nextInt(3) : 0); n > 0; n--) {
                    chosen.add(datagram);
                }
            }
        }
        Collections.shuffle(chosen, random);
        return chosen;
    }

    @net.jqwik.api.Tag("DG-4.5-1")
    @net.jqwik.api.Tag("DG-7-1")
    @net.jqwik.api.Tag("DG-7-2")
    @Property
    void writeRecordsSayExactlyWhatCame(
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 100) int keep,
            @ForAll @IntRange(min = 0, max = 60_000) int length,
            @ForAll @IntRange(min = 330, max = 9_000) int datagram) {
        Random random = new Random(seed);
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        Fenced target = new Fenced(b, length);
        TaggedBuffer source = a.random(length, 3);
        a.tagged(
                Kind.WRITE_RECORD,
                1,
                a.to(b, datagram),
                source,
                length,
                target.region.stag(),
                target.region.baseOffset());
        List<Datagram> chosen = some(a.sent(), random, keep);
        BitSet came = new BitSet();
        for (Datagram d : chosen) {
            b.now += random.nextInt(2_000_000);
            b.take(d, a);
            came.set(d.shim.segmentIndex());
        }
        b.pass(200 * DatagramStation.MILLI);
        b.takeAll(chosen, a); // late segments have no effect
        b.pass(200 * DatagramStation.MILLI);

        int size = Math.max(1, chosen.isEmpty() ? 1 : chosen.get(0).shim.segmentSize());
        target.holds(DatagramStation.octets(source), came, size);
        assertThat(b.records).hasSize(chosen.isEmpty() ? 0 : 1);
        assertThat(b.endpoint.openRecords()).isZero();
        if (!chosen.isEmpty()) {
            MessageRecord record = b.records.get(0);
            long[] words = new long[1 + record.map().segments() / 64];
            record.map().copyTo(words);
            assertThat(BitSet.valueOf(words)).isEqualTo(came);
            long octets = came.stream()
                    .mapToLong(i -> Math.min(size, length - (long) i * size))
                    .sum();
            assertThat(record.validBytes()).isEqualTo(octets);
            assertThat(record.map().isComplete()).isEqualTo(octets == length);
            assertThat(record.status().name()).isEqualTo(octets == length ? "SUCCESS" : "PARTIAL");
        }
    }

    @net.jqwik.api.Tag("DG-8-6")
    @Property
    void readsSayExactlyWhatCame(
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 100) int keep,
            @ForAll @IntRange(min = 1, max = 60_000) int length) {
        Random random = new Random(seed);
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        Fenced sink = new Fenced(a, length);
        TaggedBuffer source = b.random(length, 3);
        a.read(1, a.to(b), sink.region, length, source, 0);
        b.takeAll(some(a.sent(), random, 100), a);
        List<Datagram> chosen = some(b.sent(), random, keep);
        BitSet came = new BitSet();
        for (Datagram d : chosen) {
            a.take(d, b);
            came.set(d.shim.segmentIndex());
        }
        a.pass(2_000 * DatagramStation.MILLI);
        a.takeAll(chosen, b);

        int size = chosen.isEmpty() ? 1 : chosen.get(0).shim.segmentSize();
        sink.holds(DatagramStation.octets(source), came, size);
        boolean whole = came.cardinality() == (length + size - 1) / size;
        assertThat(a.sends)
                .containsExactly(whole ? "1 SUCCESS" : chosen.isEmpty() ? "1 RESP_TIMEOUT_ERR" : "1 PARTIAL");
        assertThat(a.readRecords).hasSize(whole || chosen.isEmpty() ? 0 : 1);
        if (!a.readRecords.isEmpty()) {
            long[] words = new long[1 + a.readRecords.get(0).map().segments() / 64];
            a.readRecords.get(0).map().copyTo(words);
            assertThat(BitSet.valueOf(words)).isEqualTo(came);
        }
    }

    @Property
    void sendsAreWholeOrNothing(@ForAll long seed, @ForAll @IntRange(min = 50, max = 100) int keep) {
        Random random = new Random(seed);
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        Fenced into = new Fenced(b, 40_000);
        List<List<Datagram>> messages = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        List<Datagram> wire = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int length = random.nextInt(5_000);
            b.postReceive(i, into.region, i * 5_000, 5_000);
            TaggedBuffer source = a.random(length, i);
            contents.add(DatagramStation.octets(source));
            a.send(i, a.to(b), source, 0, length);
            messages.add(a.sent());
            wire.addAll(some(messages.get(i), random, keep));
        }
        Collections.shuffle(wire, random);
        b.takeAll(wire, a);
        b.pass(200 * DatagramStation.MILLI);
        b.takeAll(wire, a);
        int whole = 0;
        for (int i = 0; i < 8; i++) {
            whole += wire.containsAll(messages.get(i)) ? 1 : 0;
        }
        assertThat(b.receives).hasSize(whole).allMatch(r -> r.contains("SUCCESS"));
        assertThat(b.endpoint.openRecords()).isZero();
        for (String receive : b.receives) {
            int id = Integer.parseInt(receive.substring(0, receive.indexOf(' ')));
            int length = Integer.parseInt(receive.substring(receive.indexOf('/') + 1, receive.indexOf(" from")));
            byte[] octets = DatagramStation.octets(into.region, id * 5_000, length);
            assertThat(contents).anyMatch(content -> Arrays.equals(content, octets));
        }
        into.fenceHolds();
    }

    @Tag("DG-7-2")
    @Test
    @DisplayName("1 MiB without segment k is PARTIAL with exactly that hole after T_idle, for every k")
    void everyHole() {
        int length = 1 << 20;
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(length);
        TaggedBuffer source = a.region(length);
        DatagramDestination toB = a.to(b);
        a.record(0, toB, source, length, target, 0);
        int segments = a.sent().size();
        assertThat(segments).isEqualTo(735);
        for (int k = 0; k < segments; k += Whole.or(9, 1)) {
            a.record(k, toB, source, length, target, 0);
            List<Datagram> wire = a.sent();
            wire.remove(k);
            b.takeAll(wire, a);
            b.pass(100 * DatagramStation.MILLI);
            assertThat(b.records).hasSize(1);
            MessageRecord record = b.records.remove(0);
            assertThat(record.status().name()).isEqualTo("PARTIAL");
            long from = (long) k * DatagramStation.TAGGED;
            long to = Math.min(length, from + DatagramStation.TAGGED);
            assertThat(record.map().nextHole(0)).isEqualTo(from);
            assertThat(record.map().nextValid(from)).isEqualTo(to);
            assertThat(record.map().nextHole(to)).isEqualTo(length);
            assertThat(record.validBytes()).isEqualTo(length - (to - from));
            record.release();
        }
    }

    @Test
    @DisplayName("The first segment alone and the last alone end PARTIAL, too")
    void firstAndLastAlone() {
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer target = b.region(5_000);
        a.record(1, a.to(b), a.region(5_000), 5_000, target, 0);
        a.record(2, a.to(b), a.region(5_000), 5_000, target, 0);
        List<Datagram> wire = a.sent();
        b.take(wire.get(0), a);
        b.take(wire.get(7), a);
        b.pass(100 * DatagramStation.MILLI);
        assertThat(b.records).extracting(DatagramStation::ranges).containsExactlyInAnyOrder("0+1428", "4284+716");
    }

    @Tag("DG-4.2-4")
    @Tag("DG-4.2-5")
    @Test
    @DisplayName("Message Ids wrap at 2^32")
    void wrap() {
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        a.endpoint.sends.startAt(-2);
        TaggedBuffer target = b.random(5_000, 1);
        TaggedBuffer sink = a.region(5_000);
        for (int i = 0; i < 4; i++) {
            a.record(i, a.to(b), a.region(5_000), 5_000, target, 0);
            a.read(10 + i, a.to(b), sink, 5_000, target, 0);
        }
        List<Datagram> wire = a.sent();
        assertThat(wire.stream().map(d -> d.shim.messageId()).distinct()).containsExactly(-2, -1, 0, 1, 2, 3, 4, 5);
        b.takeAll(wire, a);
        a.takeAll(b.sent(), b);
        assertThat(b.records).hasSize(4);
        assertThat(a.sends).hasSize(8).allMatch(s -> s.endsWith("SUCCESS"));
    }
}
