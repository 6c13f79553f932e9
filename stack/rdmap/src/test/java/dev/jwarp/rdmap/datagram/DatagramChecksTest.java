package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.BoundPeers;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("datagram-iWARP §5, checks 11 to 19: the first failing check counts once, and nothing is placed")
class DatagramChecksTest {
    private static final int STAG = 2;
    private static final int TO = 6;
    private static final int QN = 6;
    private static final int MSN = 10;
    private static final int MO = 14;

    /** Two stations, and one datagram of each kind from the first to the second. */
    private static final class Scene {
        final DatagramStation a;
        final DatagramStation b;
        final DatagramDestination toB;
        final TaggedBuffer source;
        final TaggedBuffer target;
        final TaggedBuffer readOnly;
        final TaggedBuffer foreign;
        final TaggedBuffer bound;

        Scene(DatagramService service) {
            DatagramSettings settings = DatagramSettings.DEFAULT
                    .with(DatagramLimit.MAX_MESSAGE, 8_000)
                    .with(DatagramLimit.MAX_READ, 4_000);
            a = new DatagramStation(1, service, DatagramSettings.DEFAULT, 64);
            b = new DatagramStation(2, service, settings, 64);
            toB = a.to(b);
            source = a.random(20_000, 1);
            target = b.region(10_000);
            readOnly = b.region(10_000, Access.REMOTE_READ);
            foreign = b.table.register(
                    DatagramStation.DOMAIN + 1, java.nio.ByteBuffer.allocateDirect(10_000), 0, DatagramStation.ALL);
            bound = b.region(10_000);
            bound.bindTo(new BoundPeers(List.of(new DatagramPeer().set(FakePort.address(9), 0, 0, 1472))));
            b.postReceive(1, target, 0, 5_000);
        }

        private Datagram only(int index) {
            return a.sent().get(index);
        }

        Datagram send(int length) {
            a.send(1, toB, source, 0, length);
            return only(0);
        }

        /** The second of three segments. */
        Datagram middle() {
            a.send(1, toB, source, 0, 3_000);
            return only(1);
        }

        Datagram tagged(Kind kind, int length, TaggedBuffer to, long offset) {
            a.tagged(kind, 1, toB, source, length, to.stag(), to.baseOffset() + offset);
            return only(0);
        }

        Datagram write(int length, TaggedBuffer to, long offset) {
            return tagged(Kind.RDMA_WRITE, length, to, offset);
        }

        Datagram record(int length, TaggedBuffer to, long offset) {
            return tagged(Kind.WRITE_RECORD, length, to, offset);
        }

        Datagram read(int length, TaggedBuffer from, long offset) {
            TaggedBuffer sink = a.region(length);
            a.read(1, toB, sink, length, from, offset);
            return only(0);
        }
    }

    @FunctionalInterface
    private interface Forgery {
        Datagram of(Scene scene);
    }

    private static Arguments row(String name, DatagramCounter counter, TerminateCode code, Forgery forgery) {
        return Arguments.of(name, counter, code, forgery);
    }

    static Stream<Arguments> rows() {
        return Stream.of(
                row(
                        "11 DV of an untagged segment",
                        DatagramCounter.DDP_VERSION,
                        TerminateCode.DDP_UNTAGGED_VERSION,
                        s -> s.send(10).octet(0, 0x42)),
                row(
                        "11 DV of a tagged segment",
                        DatagramCounter.DDP_VERSION,
                        TerminateCode.DDP_TAGGED_VERSION,
                        s -> s.record(10, s.target, 0).octet(0, 0xC0)),
                row(
                        "11 RV",
                        DatagramCounter.RDMAP_VERSION,
                        TerminateCode.RDMAP_INVALID_VERSION,
                        s -> s.send(10).octet(1, 0x83)),
                row(
                        "12 Send with Invalidate",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.send(10).octet(1, 0x44)),
                row(
                        "12 Send with SE and Invalidate",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.send(10).octet(1, 0x46)),
                row(
                        "12 Terminate",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.send(10).octet(1, 0x47)),
                row(
                        "12 Atomic Request",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.send(10).octet(1, 0x4A)),
                row(
                        "12 a tagged Send",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.record(10, s.target, 0).octet(1, 0x43)),
                row(
                        "12 an untagged Write-Record",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.send(10).octet(1, 0x4F)),
                row(
                        "12 a tagged Read Request",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.record(28, s.target, 0).octet(1, 0x41)),
                row(
                        "12 a Read Response that is no reply",
                        DatagramCounter.RDMAP_OPCODE,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        s -> s.record(10, s.target, 0).octet(1, 0x42)),
                row(
                        "13 queue of a Send",
                        DatagramCounter.DDP_QN,
                        TerminateCode.DDP_INVALID_QN,
                        s -> s.send(10).word(QN, 1)),
                row(
                        "13 queue of a Read Request",
                        DatagramCounter.DDP_QN,
                        TerminateCode.DDP_INVALID_QN,
                        s -> s.read(10, s.target, 0).word(QN, 0)),
                row(
                        "13 MSN is not the Message Id",
                        DatagramCounter.DDP_MO,
                        TerminateCode.DDP_INVALID_MO,
                        s -> s.send(10).word(MSN, 1)),
                row(
                        "13 MO is not i·S",
                        DatagramCounter.DDP_MO,
                        TerminateCode.DDP_INVALID_MO,
                        s -> s.middle().word(MO, 4)),
                row(
                        "14 L in the middle",
                        DatagramCounter.SEG_SHAPE,
                        null,
                        s -> s.middle().octet(0, 0x41)),
                row("14 shorter than its shim says", DatagramCounter.SEG_SHAPE, null, s -> {
                    Datagram d = s.send(10);
                    d.shim.message(d.shim.messageId(), 11).segment(0, 11);
                    return d;
                }),
                row("14 shorter than its header", DatagramCounter.SEG_SHAPE, null, s -> {
                    Datagram d = s.send(0);
                    d.segment = java.util.Arrays.copyOf(d.segment, 17);
                    return d;
                }),
                row(
                        "15 a Send longer than the limit",
                        DatagramCounter.MSG_TOO_LONG,
                        TerminateCode.DDP_MESSAGE_TOO_LONG,
                        s -> s.send(8_001)),
                row(
                        "15 a Write-Record longer than the limit",
                        DatagramCounter.MSG_TOO_LONG,
                        TerminateCode.DATAGRAM_TOO_LONG,
                        s -> s.record(8_001, s.target, 0)),
                row(
                        "17 longer than the receive",
                        DatagramCounter.RECV_TOO_SMALL,
                        TerminateCode.DDP_MESSAGE_TOO_LONG,
                        s -> s.send(5_001)),
                row(
                        "18 unknown STag",
                        DatagramCounter.STAG_INVALID,
                        TerminateCode.DDP_INVALID_STAG,
                        s -> s.record(10, s.target, 0).word(STAG, s.target.stag() + 1)),
                row("18 deregistered STag", DatagramCounter.STAG_INVALID, TerminateCode.DDP_INVALID_STAG, s -> {
                    Datagram d = s.record(10, s.target, 0);
                    s.b.table.deregister(s.target);
                    return d;
                }),
                row("18 invalidated STag", DatagramCounter.STAG_INVALID, TerminateCode.DDP_INVALID_STAG, s -> {
                    Datagram d = s.record(10, s.target, 0);
                    s.b.table.invalidate(s.target);
                    return d;
                }),
                row("19 invalidated STag", DatagramCounter.READ_STAG_INVALID, TerminateCode.RDMAP_INVALID_STAG, s -> {
                    Datagram d = s.read(10, s.readOnly, 0);
                    s.b.table.invalidate(s.readOnly);
                    return d;
                }),
                row(
                        "18 another domain",
                        DatagramCounter.STAG_PEER,
                        TerminateCode.DDP_STAG_NOT_ASSOCIATED,
                        s -> s.record(10, s.foreign, 0)),
                row(
                        "18 bound to another peer",
                        DatagramCounter.STAG_PEER,
                        TerminateCode.DDP_STAG_NOT_ASSOCIATED,
                        s -> s.record(10, s.bound, 0)),
                row(
                        "18 no right to write",
                        DatagramCounter.STAG_RIGHTS,
                        TerminateCode.DDP_INVALID_STAG,
                        s -> s.record(10, s.readOnly, 0)),
                row(
                        "18 the right to RDMA Write is not enough",
                        DatagramCounter.STAG_RIGHTS,
                        TerminateCode.DDP_INVALID_STAG,
                        s -> s.record(10, s.b.region(100, Access.LOCAL_WRITE | Access.REMOTE_WRITE), 0)),
                row(
                        "18 an empty Write-Record needs an STag too",
                        DatagramCounter.STAG_INVALID,
                        TerminateCode.DDP_INVALID_STAG,
                        s -> s.record(0, s.target, 0).word(STAG, s.target.stag() + 1)),
                row("18 base TO below zero", DatagramCounter.TO_WRAP, TerminateCode.DDP_TO_WRAP, s -> {
                    s.a.tagged(Kind.WRITE_RECORD, 1, s.toB, s.source, 3_000, s.target.stag(), 0);
                    return s.a.sent().get(1).number(TO, 5);
                }),
                row(
                        "18 end beyond 2^64",
                        DatagramCounter.TO_WRAP,
                        TerminateCode.DDP_TO_WRAP,
                        s -> s.record(10, s.target, 0).number(TO, -10)),
                row(
                        "18 one byte before the region",
                        DatagramCounter.TO_BOUNDS,
                        TerminateCode.DDP_BASE_BOUNDS,
                        s -> s.record(10, s.target, -1)),
                row(
                        "18 one byte behind the region",
                        DatagramCounter.TO_BOUNDS,
                        TerminateCode.DDP_BASE_BOUNDS,
                        s -> s.record(10, s.target, 9_991)),
                row(
                        "18 the first segment is inside, the message is not",
                        DatagramCounter.TO_BOUNDS,
                        TerminateCode.DDP_BASE_BOUNDS,
                        s -> s.record(3_000, s.target, 7_001)),
                row("19 27 bytes", DatagramCounter.READ_MALFORMED, TerminateCode.RDMAP_OPERATION_UNSPECIFIED, s -> {
                    Datagram d = s.read(10, s.target, 0);
                    d.segment = java.util.Arrays.copyOf(d.segment, d.segment.length - 1);
                    d.shim.message(d.shim.messageId(), 27).segment(0, 27);
                    return d;
                }),
                row(
                        "19 longer than the longest Read",
                        DatagramCounter.READ_TOO_LONG,
                        TerminateCode.DATAGRAM_TOO_LONG,
                        s -> s.read(4_001, s.target, 0)),
                row(
                        "19 unknown STag",
                        DatagramCounter.READ_STAG_INVALID,
                        TerminateCode.RDMAP_INVALID_STAG,
                        s -> s.read(10, s.target, 0).word(18 + 16, s.target.stag() + 1)),
                row(
                        "19 another domain",
                        DatagramCounter.READ_STAG_PEER,
                        TerminateCode.RDMAP_STAG_NOT_ASSOCIATED,
                        s -> s.read(10, s.foreign, 0)),
                row(
                        "19 bound to another peer",
                        DatagramCounter.READ_STAG_PEER,
                        TerminateCode.RDMAP_STAG_NOT_ASSOCIATED,
                        s -> s.read(10, s.bound, 0)),
                row(
                        "19 no right to read",
                        DatagramCounter.READ_RIGHTS,
                        TerminateCode.RDMAP_ACCESS_RIGHTS,
                        s -> s.read(10, s.b.region(100, Access.LOCAL_WRITE), 0)),
                row(
                        "19 end beyond 2^64",
                        DatagramCounter.READ_WRAP,
                        TerminateCode.RDMAP_TO_WRAP,
                        s -> s.read(10, s.target, 0).number(18 + 20, -10)),
                row(
                        "19 one byte behind the region",
                        DatagramCounter.READ_BOUNDS,
                        TerminateCode.RDMAP_BASE_BOUNDS,
                        s -> s.read(10, s.target, 9_991)));
    }

    @Tag("DG-4.2-8")
    @Tag("DG-4.5-2")
    @Tag("DG-4.5-5")
    @Tag("DG-4.6-3")
    @Tag("DG-5.2-1")
    @Tag("DG-5.2-3")
    @Tag("DG-5.2-6")
    @Tag("DG-5.2-9")
    @Tag("DG-5.2-10")
    @Tag("DG-5.2-15")
    @Tag("DG-5.2-18")
    @Tag("DG-5.2-19")
    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    @DisplayName("UD: dropped, and reported to the sender if the table has a code")
    void ud(String name, DatagramCounter counter, TerminateCode code, Forgery forgery) {
        Scene scene = new Scene(DatagramService.UD);
        Datagram datagram = forgery.of(scene);
        SegmentFate fate = scene.b.take(datagram, scene.a);
        assertThat(fate).isEqualTo(code == null ? SegmentFate.DROPPED : SegmentFate.REFUSED);
        if (code != null) {
            assertThat(scene.b.endpoint.refusal()).isEqualTo(code);
        }
        nothingHappened(scene, counter);
        assertThat(scene.b.events).isEmpty();

        Datagram toGroup = datagram.copy();
        toGroup.shim.flags(toGroup.shim.reply(), false, true, false);
        assertThat(scene.b.take(toGroup, scene.a))
                .as("group datagrams are never answered")
                .isEqualTo(SegmentFate.DROPPED);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    @DisplayName("RD: each failure ends the channel and is reported to the program")
    void rd(String name, DatagramCounter counter, TerminateCode code, Forgery forgery) {
        Scene scene = new Scene(DatagramService.RD);
        Datagram datagram = forgery.of(scene);
        TerminateCode told = code == null ? TerminateCode.RDMAP_OPERATION_UNSPECIFIED : code;
        assertThat(scene.b.take(datagram, scene.a)).isEqualTo(SegmentFate.REFUSED);
        assertThat(scene.b.endpoint.refusal()).isEqualTo(told);
        nothingHappened(scene, counter);
        assertThat(scene.b.events).containsExactly("VIOLATION " + datagram.shim.messageId() + " " + told);
    }

    private static void nothingHappened(Scene scene, DatagramCounter counter) {
        assertThat(scene.b.counts()).isEqualTo(counter.counterName() + "=1");
        assertThat(DatagramStation.octets(scene.target)).containsOnly(0);
        assertThat(scene.b.receives).isEmpty();
        assertThat(scene.b.records).isEmpty();
        assertThat(scene.b.sent()).isEmpty();
        assertThat(scene.b.endpoint.openRecords()).isZero();
    }

    @Tag("DG-5.2-7")
    @Tag("DG-5.3-1")
    @Tag("DG-7-7")
    @Tag("DG-7-8")
    @Test
    @DisplayName("16: a contradicting, duplicate or late segment has no effect")
    void conflictDuplicateLate() {
        Scene s = new Scene(DatagramService.UD);
        s.a.record(1, s.toB, s.source, 5_000, s.target, 0);
        List<Datagram> wire = s.a.sent();
        assertThat(s.b.take(wire.get(1), s.a)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(s.b.take(wire.get(1), s.a)).isEqualTo(SegmentFate.DROPPED);
        assertThat(s.b.count(DatagramCounter.DUP_SEGMENT)).isEqualTo(1);

        Datagram otherBase = wire.get(0).copy().number(TO, s.target.baseOffset() + 4);
        Datagram otherStag = wire.get(0).copy().word(STAG, s.bound.stag());
        Datagram otherLength = wire.get(0).copy();
        otherLength.shim.message(otherLength.shim.messageId(), 5_001);
        Datagram otherSize = wire.get(0).copy();
        otherSize.shim.segment(0, 1_424);
        otherSize.segment = java.util.Arrays.copyOf(otherSize.segment, 14 + 1_424);
        for (Datagram other : List.of(otherBase, otherStag, otherLength, otherSize)) {
            assertThat(s.b.take(other, s.a)).isEqualTo(SegmentFate.DROPPED);
        }
        assertThat(s.b.count(DatagramCounter.SEG_CONFLICT)).isEqualTo(4);

        s.b.takeAll(wire, s.a);
        assertThat(s.b.records).hasSize(1);
        s.target.memoryAt(0).put(0, new byte[5_000]);
        s.b.takeAll(wire, s.a);
        assertThat(s.b.count(DatagramCounter.LATE)).isEqualTo(wire.size());
        assertThat(DatagramStation.octets(s.target)).containsOnly(0);
        assertThat(s.b.records).hasSize(1);
    }

    @Tag("DG-5.3-1")
    @Test
    @DisplayName("16: a duplicate message of one datagram completes once")
    void duplicateSingle() {
        Scene s = new Scene(DatagramService.UD);
        Datagram send = s.send(10);
        Datagram record = s.record(10, s.target, 6_000);
        s.b.takeAll(List.of(send, record, send, record), s.a);
        assertThat(s.b.receives).hasSize(1);
        assertThat(s.b.records).hasSize(1);
        assertThat(s.b.counts()).isEqualTo("rx_ok=2 late=2");
    }

    @Tag("DG-7-14")
    @Test
    @DisplayName("The same Message Id from another address or queue pair is another message")
    void otherSource() {
        Scene s = new Scene(DatagramService.UD);
        Datagram record = s.record(10, s.target, 0);
        DatagramStation c = new DatagramStation(3);
        s.b.take(record, s.a);
        s.b.take(record, c);
        record.shim.addressed(s.b.qpn, 0x7777, s.b.key);
        s.b.take(record, s.a);
        assertThat(s.b.records).hasSize(3);
    }

    @Tag("DG-5.2-8")
    @Tag("DG-5.3-2")
    @Test
    @DisplayName("17: without a receive a Send is dropped silently, and not remembered as seen")
    void noReceive() {
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        a.send(1, a.to(b), a.random(3_000, 1), 0, 10);
        a.send(2, a.to(b), a.random(3_000, 1), 0, 3_000);
        List<Datagram> wire = a.sent();
        for (Datagram datagram : wire) {
            assertThat(b.take(datagram, a)).isEqualTo(SegmentFate.NOT_READY);
        }
        assertThat(b.counts()).isEqualTo("no_recv_wr=4");
        b.postReceive(1, b.region(10), 0, 10);
        b.postReceive(2, b.region(3_000), 0, 3_000);
        b.takeAll(wire, a);
        assertThat(b.receives).containsExactly("1 SUCCESS 10/10 from 1001", "2 SUCCESS 3000/3000 from 1001");
    }

    @Tag("DG-5.2-9")
    @Test
    @DisplayName("17: a Send that is too long leaves the receive to the next Send")
    void tooLongKeepsReceive() {
        Scene s = new Scene(DatagramService.UD);
        assertThat(s.b.take(s.send(5_001), s.a)).isEqualTo(SegmentFate.REFUSED);
        assertThat(s.b.take(s.send(10), s.a)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(s.b.receives).containsExactly("1 SUCCESS 10/10 from 1001");
    }

    @Test
    @DisplayName("17: a message of one datagram longer than the receive is not placed either")
    void singleTooLong() {
        DatagramStation a = new DatagramStation(1);
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer into = b.region(100);
        b.postReceive(1, into, 0, 50);
        a.send(1, a.to(b), a.random(51, 1), 0, 51);
        a.send(2, a.to(b), a.random(50, 1), 0, 50);
        List<Datagram> wire = a.sent();
        assertThat(b.take(wire.get(0), a)).isEqualTo(SegmentFate.REFUSED);
        assertThat(DatagramStation.octets(into)).containsOnly(0);
        assertThat(b.take(wire.get(1), a)).isEqualTo(SegmentFate.ACCEPTED);
    }

    @Tag("DG-9.1-1")
    @Test
    @DisplayName("19: a source without a proved address gets a CHALLENGE and no data")
    void challenge() {
        Scene s = new Scene(DatagramService.UD);
        Datagram read = s.read(100, s.target, 0);
        assertThat(s.b.take(read, s.a, false)).isEqualTo(SegmentFate.CHALLENGE);
        assertThat(s.b.counts()).isEqualTo("read_challenged=1");
        assertThat(s.b.sent()).isEmpty();
        assertThat(s.b.take(read, s.a, true)).as("the same request, proved").isEqualTo(SegmentFate.ACCEPTED);
        assertThat(s.b.sent()).hasSize(1);
    }

    @Tag("DG-4.6-3")
    @Tag("DG-8-8")
    @Test
    @DisplayName("19: a Read of 0 bytes is answered for any STag; a duplicate is not answered")
    void emptyRead() {
        Scene s = new Scene(DatagramService.UD);
        s.a.tagged(Kind.RDMA_READ, 7, s.toB, s.source, 0, 12345, 0);
        Datagram read = s.a.sent().get(0);
        assertThat(s.b.take(read, s.a)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(s.b.take(read, s.a)).isEqualTo(SegmentFate.DROPPED);
        List<Datagram> answer = s.b.sent();
        assertThat(answer).hasSize(1);
        s.a.takeAll(answer, s.b);
        assertThat(s.a.sends).containsExactly("7 SUCCESS");
    }

    @Tag("DG-4.6-1")
    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {0, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14})
    @DisplayName("12: opcodes that UD does not have are refused, tagged or not")
    void opcodes(int opcode) {
        for (boolean tagged : new boolean[] {false, true}) {
            Scene s = new Scene(DatagramService.UD);
            Datagram datagram = tagged ? s.record(10, s.target, 0) : s.send(10);
            assertThat(s.b.take(datagram.octet(1, 0x40 | opcode), s.a)).isEqualTo(SegmentFate.REFUSED);
            assertThat(s.b.endpoint.refusal()).isEqualTo(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
            nothingHappened(s, DatagramCounter.RDMAP_OPCODE);
        }
    }

    @Tag("DG-4.5-7")
    @Test
    @DisplayName("11, 12: reserved bits of DDP and RDMAP and the ULP word are ignored")
    void reservedBits() {
        Scene s = new Scene(DatagramService.UD);
        Datagram send = s.send(10);
        send.octet(0, send.segment[0] | 0x3C).octet(1, send.segment[1] | 0x30).word(2, -1);
        assertThat(s.b.take(send, s.a)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(s.b.receives).containsExactly("1 SUCCESS 10/10 from 1001");
    }

    @Tag("DG-4.6-3")
    @Test
    @DisplayName("18: an RDMA Write of 0 bytes has no effect, for any STag")
    void emptyWrite() {
        Scene s = new Scene(DatagramService.RD);
        Datagram write = s.write(0, s.target, 0).word(STAG, s.target.stag() + 1);
        assertThat(s.b.take(write, s.a)).isEqualTo(SegmentFate.ACCEPTED);
        assertThat(s.b.counts()).isEqualTo("rx_ok=1");
        assertThat(s.b.records).isEmpty();
    }

    @Tag("DG-5.2-10")
    @Test
    @DisplayName("18: an RDMA Write needs its right, and memory of the domain")
    void write() {
        for (boolean record : new boolean[] {true, false}) {
            Scene s = new Scene(DatagramService.RD);
            Datagram write = s.write(10, record ? s.b.region(100, Access.LOCAL_WRITE | Access.RECORD) : s.foreign, 0);
            assertThat(s.b.take(write, s.a)).isEqualTo(SegmentFate.REFUSED);
            nothingHappened(s, record ? DatagramCounter.STAG_RIGHTS : DatagramCounter.STAG_PEER);
        }
    }

    @Tag("DG-G.4-3")
    @Tag("DG-G.4-4")
    @Test
    @DisplayName("A group accepts Sends, and Write-Records into group regions; other datagrams are dropped")
    void group() {
        Scene s = new Scene(DatagramService.UD);
        TaggedBuffer closed = s.b.region(100, Access.LOCAL_WRITE | Access.RECORD);
        for (Datagram d : List.of(
                s.record(10, closed, 0),
                s.record(10, s.target, 0).octet(1, 0x40),
                s.read(10, s.target, 0),
                s.send(7_000))) {
            d.shim.flags(false, false, true, false);
            assertThat(s.b.take(d, s.a)).isEqualTo(SegmentFate.DROPPED);
        }
        assertThat(s.b.counts()).isEqualTo("rdmap_opcode=2 recv_too_small=1 stag_rights=1");
    }
}
