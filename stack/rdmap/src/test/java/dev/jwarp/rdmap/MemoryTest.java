package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.vectors.Vectors;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Invalidation and deregistration of memory (RFC 5040 §5.3, §8.1.1; RFC 5041 §8.3)")
class MemoryTest {
    private final Pair pair = Pair.connected(4);
    private final Station a = pair.a;
    private final Station b = pair.b;
    private final TaggedBuffer local = Station.fill(a.region(10_000), 1);
    private final TaggedBuffer remote = Station.fill(b.region(10_000), 2);

    @Tag("DDP-5.2-4")
    @Tag("RDMAP-5.3-4")
    @Tag("SEC-6.2.2-1")
    @Test
    @DisplayName("a Send with Invalidate invalidates, then is delivered with the STag; a Write to it fails after that")
    void sendWithInvalidate() {
        b.postReceive(1, b.region(100), 0, 100);
        a.post(
                Kind.SEND_WITH_INVALIDATE,
                1,
                op -> op.invalidateSTag(remote.stag()).solicited(true).memory().add(local, 0, 10));
        pair.run();
        Station.Completion completion = b.receives().get(0);
        assertThat(completion.invalidated()).isEqualTo(remote.stag());
        assertThat(completion.solicited()).isTrue();
        assertThat(remote.valid()).isFalse();

        // RFC 5041 §5.2, A29: a zero-length Write is not checked; then the real one.
        a.write(2, local, 0, 0, remote.stag(), 0x1000);
        pair.run();
        assertThat(b.failure).isNull();
        a.write(3, local, 0, 10, remote.stag(), 0x1000);
        pair.run();
        assertThat(b.failure).isEqualTo(TerminateCode.DDP_INVALID_STAG);
    }

    @Tag("RDMAP-5.3-5")
    @Tag("RDMAP-7.2-3")
    @Tag("SEC-6.4.5-1")
    @Test
    @DisplayName(
            "a Send cannot invalidate an STag twice (A15), nor a shared one, nor another stream's; the receive fails")
    void cannotInvalidate() {
        for (int i = 0; i < 3; i++) {
            Station station = new Station();
            TaggedBuffer region = station.region(100);
            TaggedBuffer buffers = station.region(100);
            TaggedBuffer window = station.table.registerWindow(region, 99, 0, 10, 0, Access.REMOTE_WRITE);
            station.establish();
            station.postReceive(1, buffers, 0, 10);
            switch (i) {
                case 0 -> station.table.invalidate(region);
                case 1 -> station.domainShared = true;
                default -> {}
            }
            station.take(Ulpdus.sendWithInvalidate(1, i == 2 ? window.stag() : region.stag()));
            assertThat(station.failure).isEqualTo(TerminateCode.RDMAP_CANNOT_INVALIDATE);
            assertThat(station.receiveResults()).containsExactly("1 LOC_ACCESS_ERR");
            assertThat(window.valid()).isEqualTo(i != 0);
        }
    }

    @Test
    @DisplayName("in a domain of several streams a Send can invalidate a window of its own stream")
    void windowOfThisStream() {
        b.domainShared = true;
        TaggedBuffer window = b.table.registerWindow(remote, 1, 0, 10, 0, Access.REMOTE_WRITE);
        b.postReceive(1, remote, 100, 10);
        a.post(Kind.SEND_WITH_INVALIDATE, 1, op -> op.invalidateSTag(window.stag()));
        pair.run();
        assertThat(window.valid()).isFalse();
        assertThat(remote.valid()).isTrue();
        assertThat(b.failures).isZero();
    }

    @Test
    @DisplayName("a local invalidation takes effect in the order of the send queue")
    void localInvalidate() {
        a.read(1, local, 0, 10, remote.stag(), 0x1000);
        TaggedBuffer region = a.region(100);
        a.post(Kind.LOCAL_INVALIDATE, 2, op -> op.fence(true).invalidateSTag(region.stag()));
        a.lower.sent(a.stream).forEach(b::take);
        assertThat(region.valid()).isTrue();
        pair.run();
        assertThat(region.valid()).isFalse();
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    @DisplayName("an unknown, invalid or foreign STag cannot be invalidated locally")
    void localInvalidateFails() {
        for (int i = 0; i < 3; i++) {
            Station station = new Station().establish();
            TaggedBuffer region = station.region(100);
            TaggedBuffer foreign =
                    station.table.register(Station.DOMAIN + 1, Station.memory(8), 0, Access.REMOTE_WRITE);
            station.table.invalidate(region);
            int sTag = i == 0 ? 1 : i == 1 ? region.stag() : foreign.stag();
            station.post(Kind.LOCAL_INVALIDATE, 1, op -> op.invalidateSTag(sTag));
            assertThat(station.lower.sent(station.stream)).hasSize(1);
            assertThat(station.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
            assertThat(foreign.valid()).isTrue();
        }
    }

    @Test
    @DisplayName("a Read with local invalidate invalidates its sink after the data is placed")
    void readWithLocalInvalidate() {
        a.post(Kind.RDMA_READ_WITH_LOCAL_INVALIDATE, 1, op -> {
            op.memory().add(local, 0, 3000);
            op.remote(remote.stag(), 0x1000);
        });
        a.lower.sent(a.stream).forEach(b::take);
        List<byte[]> answer = b.lower.sent(b.stream);
        a.take(answer.get(0));
        a.take(answer.get(1));
        assertThat(local.valid()).isTrue();
        a.take(answer.get(2));
        assertThat(local.valid()).isFalse();
        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(Station.octets(local, 0, 3000)).isEqualTo(Station.octets(remote, 0, 3000));
    }

    @Test
    @DisplayName("a window is valid from its binding on, its predecessor until then")
    void bind() {
        TaggedBuffer first = b.table.prepareWindow(remote, 1, 100, 50, 0x9000, Access.REMOTE_WRITE);
        TaggedBuffer second = b.table.prepareWindow(remote, 1, 200, 50, 0xA000, Access.REMOTE_READ);
        assertThat(b.table.find(first.stag())).isNull();
        b.post(Kind.BIND_WINDOW, 1, op -> op.bind(first, null));
        pair.run();
        assertThat(b.sendResults()).containsExactly("1 SUCCESS");
        a.write(1, local, 0, 50, first.stag(), 0x9000);
        pair.run();
        assertThat(Station.octets(remote, 100, 50)).isEqualTo(Station.octets(local, 0, 50));

        b.post(Kind.BIND_WINDOW, 2, op -> op.bind(second, first));
        pair.run();
        a.read(2, local, 500, 50, second.stag(), 0xA000);
        pair.run();
        assertThat(Station.octets(local, 500, 50)).isEqualTo(Station.octets(remote, 200, 50));
        a.write(3, local, 0, 50, first.stag(), 0x9000);
        pair.run();
        assertThat(b.failure).isEqualTo(TerminateCode.DDP_INVALID_STAG);
    }

    @Test
    @DisplayName("an empty binding only ends the old one; a window of a deregistered region cannot be bound")
    void bindNothing() {
        TaggedBuffer window = b.table.registerWindow(remote, 1, 100, 50, 0x9000, Access.REMOTE_WRITE);
        b.post(Kind.BIND_WINDOW, 1, op -> op.bind(null, window));
        pair.run();
        assertThat(b.sendResults()).containsExactly("1 SUCCESS");
        assertThat(b.table.find(window.stag())).isNull();

        TaggedBuffer orphan = b.table.prepareWindow(remote, 1, 0, 10, 0, Access.REMOTE_WRITE);
        b.table.deregister(remote);
        b.post(Kind.BIND_WINDOW, 2, op -> op.bind(orphan, null));
        pair.run();
        assertThat(b.sendResults()).containsExactly("1 SUCCESS", "2 MW_BIND_ERR");
        assertThat(b.failure).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(b.counters.get(RdmapCounter.LOCAL_FAULTS)).isEqualTo(1);
    }

    @Tag("DDP-8.2-1")
    @Tag("SEC-6.1.1-3")
    @Test
    @DisplayName("a window of one stream is foreign to another stream of the domain (SEC-6.1.1-3)")
    void windowOfAnotherStream() {
        STagTable table = new STagTable(new Random(3), 100);
        Station one = new Station(StreamSettings.DEFAULT, 8, 1, table);
        TaggedBuffer region = one.region(100);
        TaggedBuffer window = table.registerWindow(region, 1, 0, 50, 0, Access.REMOTE_WRITE | Access.REMOTE_READ);
        for (int i = 0; i < 2; i++) {
            Station two = new Station(StreamSettings.DEFAULT, 8, 2, table).establish();
            two.take(
                    i == 0
                            ? Ulpdus.write(window.stag(), 0, (byte) 1)
                            : Ulpdus.readRequest(1, 1, 0, 1, window.stag(), 0));
            assertThat(two.failure)
                    .isEqualTo(
                            i == 0 ? TerminateCode.DDP_STAG_NOT_ASSOCIATED : TerminateCode.RDMAP_STAG_NOT_ASSOCIATED);
        }
        one.establish();
        one.take(Ulpdus.write(window.stag(), 0, (byte) 1));
        assertThat(one.failures).isZero();
        assertThat(Station.octets(region, 0, 1)).containsExactly(1);
    }

    @Tag("RDMAP-4.8-4")
    @Test
    @DisplayName(
            "the source of a Read is checked again for every segment; the Terminate describes the rest (RDMAP-4.8-4)")
    void sourceRevokedUnderWay() {
        TaggedBuffer source = b.table.registerAs(0xbb00, Station.DOMAIN, Station.memory(4096), 0x20000, Station.ALL);
        b.lower.mulpdu = 14 + 1024;
        b.take(Vectors.hex("414100000000000000010000000100000000" + "0000aa00" + "0000000000010000" + "00001000"
                + "0000bb00" + "0000000000020000"));
        b.lower.poll(b.stream, 0);
        b.lower.poll(b.stream, 0);
        b.table.invalidate(source);
        List<byte[]> wire = b.lower.sent(b.stream);
        assertThat(wire).hasSize(3);
        assertThat(wire.get(2))
                .isEqualTo(Vectors.hex(Vectors.byId("TERM-RDMA-READ-PART")
                        .json()
                        .path("segments")
                        .path(0)
                        .path("ulpdu")
                        .asText()));
        assertThat(b.failure).isEqualTo(TerminateCode.RDMAP_INVALID_STAG);
    }

    @Tag("EXT-8.1-1")
    @Tag("SEC-6.2.2-1")
    @Test
    @DisplayName("a source or target deregistered before the response is refused like an unknown STag")
    void revokedBeforeTheAnswer() {
        TaggedBuffer target = b.region(64);
        b.take(Ulpdus.readRequest(1, 1, 0, 10, remote.stag(), 0x1000));
        b.take(Ulpdus.fetchAdd(2, 5, target.stag(), 0x1000, 1));
        b.lower.poll(b.stream, 0);
        b.table.deregister(target);
        List<byte[]> wire = b.lower.sent(b.stream);
        assertThat(wire).hasSize(2);
        // RFC 7306 §8.1: of an Atomic, the DDP header only.
        assertThat(wire.get(1))
                .isEqualTo(Vectors.hex(
                        "4147000000000000000200000001000000000100c0000046" + "414a00000000000000010000000200000000"));
        assertThat(Station.octets(target)).containsOnly(0);
    }

    @Test
    @DisplayName("the source of a Send or Write is not read after its deregistration, even half sent")
    void localSourceGone() {
        for (int polls = 0; polls < 2; polls++) {
            Station station = new Station().establish();
            TaggedBuffer region = station.region(5000);
            station.send(1, region, 0, 5000);
            station.send(2, region, 0, 10);
            for (int i = 0; i < polls; i++) {
                station.lower.poll(station.stream, 0);
            }
            station.table.deregister(region);
            List<byte[]> wire = station.lower.sent(station.stream);
            assertThat(wire).hasSize(polls + 1);
            assertThat(wire.get(polls)).isEqualTo(Vectors.hex("41470000000000000002000000010000000000000000"));
            assertThat(station.sendResults()).containsExactly("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR");
            assertThat(station.failure).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        }
    }

    @Tag("SEC-6.2.2-1")
    @Test
    @DisplayName("a receive deregistered while posted gets no byte (SEC-6.2.2-1)")
    void receiveGone() {
        b.postReceive(1, remote, 0, 100);
        byte[] before = Station.octets(remote);
        b.table.deregister(remote);
        a.send(1, local, 0, 100);
        pair.run();
        assertThat(b.receiveResults()).containsExactly("1 LOC_PROT_ERR");
        assertThat(Station.octets(remote)).isEqualTo(before);
        assertThat(a.failure).isEqualTo(TerminateCode.DDP_LOCAL_CATASTROPHIC);
    }

    @Tag("SEC-6.2.2-1")
    @Test
    @DisplayName("a Read fails if its sink is deregistered while the data arrives, and nothing is placed")
    void sinkGone() {
        a.read(1, local, 0, 3000, remote.stag(), 0x1000);
        a.lower.sent(a.stream).forEach(b::take);
        List<byte[]> answer = b.lower.sent(b.stream);
        a.take(answer.get(0));
        byte[] before = Station.octets(local);
        a.table.invalidate(local);
        a.take(answer.get(1));
        assertThat(a.failure).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(a.sendResults()).containsExactly("1 LOC_PROT_ERR");
        assertThat(Station.octets(local)).isEqualTo(before);
    }

    @Test
    @DisplayName("an Atomic fails if its sink is deregistered")
    void atomicSinkGone() {
        a.fetchAndAdd(1, local, 0, 1, remote.stag(), 0x1000);
        a.lower.sent(a.stream);
        byte[] before = Station.octets(local);
        a.table.invalidate(local);
        a.take(Ulpdus.atomicResponse(1, 1, 77));
        assertThat(a.failure).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(a.sendResults()).containsExactly("1 LOC_PROT_ERR");
        assertThat(Station.octets(local)).isEqualTo(before);
    }

    @Test
    @DisplayName("the region of a window can be read and written through the window's offsets, as a sink too")
    void windowOffsets() {
        TaggedBuffer shifted = a.region(1000, 0xffff_ffff_0000_0000L, Station.ALL);
        a.read(1, shifted, 100, 50, remote.stag(), 0x1000);
        byte[] request = a.lower.sent(a.stream).get(0);
        assertThat(ByteBuffer.wrap(request).getInt(18)).isEqualTo(shifted.stag());
        assertThat(ByteBuffer.wrap(request).getLong(22)).isEqualTo(0xffff_ffff_0000_0064L);
        b.take(request);
        pair.run();
        assertThat(Station.octets(shifted, 100, 50)).isEqualTo(Station.octets(remote, 0, 50));
    }

    @Tag("EXT-5-1")
    @Tag("EXT-8.2-1")
    @Test
    @DisplayName("disabled extensions are disabled completely (EXT-5-1)")
    void extensionsOff() {
        for (byte[] ulpdu : List.of(
                Ulpdus.immediate(1, Ulpdus.octets(8)),
                Ulpdus.fetchAdd(1, 1, 1, 0, 1),
                Ulpdus.atomic(1, AtomicRequestHeader.COMPARE_SWAP, 1, 1, 0, 1),
                Ulpdus.atomicResponse(1, 1, 1))) {
            Station station = new Station(new StreamSettings(false, 4, 1), 4, 1);
            station.establish(true, 4, 4, ReadyToReceive.NONE);
            station.take(ulpdu);
            assertThat(station.failure).isEqualTo(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
        }
    }
}
