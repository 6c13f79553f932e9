package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.vectors.Vectors;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Read depths are credits, and the ready-to-receive message is the first (RFC 5040 §6.1, RFC 6581 §9)")
class ReadDepthTest {
    @Tag("RDMAP-6.1-2")
    @Test
    @DisplayName("Reads and Atomics together stay within ORD; excess work and later operations wait")
    void excessWaits() {
        Pair pair = Pair.connected(new Station(), new Station(), 2, 2, ReadyToReceive.NONE);
        TaggedBuffer local = pair.a.region(1000);
        TaggedBuffer remote = Station.fill(pair.b.region(1000), 1);
        pair.a.read(1, local, 0, 8, remote.stag(), 0x1000);
        pair.a.fetchAndAdd(2, local, 8, 1, remote.stag(), 0x1008);
        pair.a.read(3, local, 16, 8, remote.stag(), 0x1000);
        pair.a.write(4, local, 0, 8, remote.stag(), 0x1100);

        List<byte[]> first = pair.a.lower.sent(pair.a.stream);
        assertThat(first).hasSize(2);
        assertThat(pair.a.stream.wantsToSend())
                .as("an operation that waits for a credit")
                .isFalse();
        first.forEach(pair.b::take);
        List<byte[]> answers = pair.b.lower.sent(pair.b.stream);
        int rung = pair.a.lower.doorbells;
        pair.a.take(answers.get(0));
        assertThat(pair.a.stream.wantsToSend()).isTrue();
        // The stream rings the doorbell for the credit, or the waiting work would wait for ever.
        assertThat(pair.a.lower.doorbells).isGreaterThan(rung);
        assertThat(pair.a.lower.sent(pair.a.stream))
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.RDMA_READ_REQUEST, RdmapOpcode.RDMA_WRITE);
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Tag("RDMAP-5.2.2-4")
    @Tag("RDMAP-6.1-2")
    @Tag("RDMAP-8.1.1-1")
    @Test
    @DisplayName("ten Reads with ORD 1: never two at a time, all complete in order")
    void oneAtATime() {
        Pair pair = Pair.connected(new Station(), new Station(), 1, 1, ReadyToReceive.NONE);
        TaggedBuffer local = pair.a.region(1000);
        TaggedBuffer remote = Station.fill(pair.b.region(1000), 1);
        for (int i = 0; i < 10; i++) {
            pair.a.read(i, local, i * 100, 100, remote.stag(), 0x1000 + i * 100);
        }
        for (int i = 0; i < 10; i++) {
            List<byte[]> requests = pair.a.lower.sent(pair.a.stream);
            assertThat(requests).hasSize(1);
            requests.forEach(pair.b::take);
            pair.b.lower.sent(pair.b.stream).forEach(pair.a::take);
        }
        assertThat(pair.a.sends()).hasSize(10).allMatch(c -> c.status() == OperationStatus.SUCCESS);
        assertThat(Station.octets(local)).isEqualTo(Station.octets(remote));
    }

    @Test
    @DisplayName("with ORD 0 a Read fails locally, because it could never be answered")
    void ordZero() {
        Station station = new Station().establish(true, 1, 0, ReadyToReceive.NONE);
        TaggedBuffer local = station.region(8);
        station.read(1, local, 0, 8, 1, 0);
        assertThat(station.lower.sent(station.stream))
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.TERMINATE);
        assertThat(station.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
        assertThat(station.failure).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
    }

    @Tag("EXT-5.2.2-2")
    @Tag("RDMAP-5.2.1-5")
    @Tag("RDMAP-5.2.2-1")
    @Tag("RDMAP-6.1-3")
    @Test
    @DisplayName("as many requests as IRD, Reads and Atomics, are all answered (EXT-5.2.2-2); one more is refused")
    void inboundDepth() {
        Station station = new Station().establish(false, 3, 0, ReadyToReceive.NONE);
        TaggedBuffer region = station.region(64);
        station.take(Ulpdus.readRequest(1, 1, 0, 8, region.stag(), 0x1000));
        station.take(Ulpdus.fetchAdd(2, 77, region.stag(), 0x1000, 1));
        station.take(Ulpdus.readRequest(3, 1, 0, 0, 0, 0));
        assertThat(station.lower.sent(station.stream)).hasSize(3);
        for (int i = 4; i <= 6; i++) {
            station.take(Ulpdus.readRequest(i, 1, 0, 8, region.stag(), 0x1000));
        }
        assertThat(station.failure).isNull();
        station.take(Ulpdus.readRequest(7, 1, 0, 8, region.stag(), 0x1000));
        assertThat(station.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);
        assertThat(station.lower.sent(station.stream))
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.TERMINATE);
    }

    @Tag("SEC-6.4.3.3-1")
    @Test
    @DisplayName("each stream has its own slots: too many requests end only their own stream")
    void slotsOfEachStream() {
        STagTable table = new STagTable(new Random(7), 100);
        Station greedy = new Station(StreamSettings.DEFAULT, 8, 1, table).establish(false, 1, 0, ReadyToReceive.NONE);
        Station other = new Station(StreamSettings.DEFAULT, 8, 2, table).establish(false, 1, 0, ReadyToReceive.NONE);
        TaggedBuffer region = greedy.region(64);
        greedy.take(Ulpdus.readRequest(1, 1, 0, 8, region.stag(), 0x1000));
        greedy.take(Ulpdus.readRequest(2, 1, 0, 8, region.stag(), 0x1000));
        assertThat(greedy.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);
        other.take(Ulpdus.readRequest(1, 1, 0, 8, region.stag(), 0x1000));
        assertThat(other.failure).isNull();
        assertThat(other.lower.sent(other.stream))
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.RDMA_READ_RESPONSE);
    }

    @Tag("RDMAP-6.1-3")
    @Test
    @DisplayName("with IRD 0 every Read Request is refused, even of size 0 (A28)")
    void irdZero() {
        for (int size = 0; size < 2; size++) {
            Station station = new Station().establish(false, 0, 0, ReadyToReceive.WRITE);
            TaggedBuffer region = station.region(64);
            station.take(Ulpdus.readRequest(1, 0, 0, size, region.stag(), 0x1000));
            assertThat(station.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);
        }
    }

    @Test
    @DisplayName("a ready-to-receive Read is answered with IRD 0, once; anything else in its place is refused")
    void readyToReceiveReadWithIrdZero() {
        Station station = new Station().establish(false, 0, 0, ReadyToReceive.READ);
        station.take(Ulpdus.readRequest(1, 0, 0, 0, 1, 0));
        assertThat(station.lower.sent(station.stream)).containsExactly(Vectors.hex("c142000000000000000000000000"));
        station.take(Ulpdus.readRequest(2, 0, 0, 0, 1, 0));
        assertThat(station.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);

        Station other = new Station().establish(false, 0, 0, ReadyToReceive.READ);
        TaggedBuffer region = other.region(64);
        other.take(Ulpdus.readRequest(1, 0, 0, 8, region.stag(), 0x1000));
        assertThat(other.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);
        assertThat(other.lower.sent(other.stream)).extracting(Ulpdus::opcode).containsExactly(RdmapOpcode.TERMINATE);
    }

    @Test
    @DisplayName("a ready-to-receive Read and later Reads do not use each other's slots")
    void readyToReceiveReadBesideOthers() {
        Station station = new Station().establish(false, 1, 0, ReadyToReceive.READ);
        TaggedBuffer region = station.region(64);
        station.take(Ulpdus.readRequest(1, 0, 0, 0, 1, 0));
        station.take(Ulpdus.readRequest(2, 1, 0, 8, region.stag(), 0x1000));
        assertThat(station.failure).isNull();
        assertThat(station.lower.sent(station.stream)).hasSize(2);
        station.take(Ulpdus.readRequest(3, 1, 0, 8, region.stag(), 0x1000));
        station.take(Ulpdus.readRequest(4, 1, 0, 8, region.stag(), 0x1000));
        assertThat(station.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);
    }

    @Test
    @DisplayName("a first Read with data is an ordinary Read, even if a ready-to-receive Read was agreed")
    void ordinaryReadFirst() {
        Station station = new Station().establish(false, 1, 0, ReadyToReceive.READ);
        TaggedBuffer region = station.region(64);
        station.take(Ulpdus.readRequest(1, 1, 0, 8, region.stag(), 0x1000));
        assertThat(station.lower.sent(station.stream)).hasSize(1);
        station.take(Ulpdus.readRequest(2, 1, 0, 8, region.stag(), 0x1000));
        station.take(Ulpdus.readRequest(3, 1, 0, 8, region.stag(), 0x1000));
        assertThat(station.failure).isEqualTo(TerminateCode.DDP_NO_BUFFER);
    }

    @Tag("MPA2-5-1")
    @Tag("MPA2-9.2-4")
    @ParameterizedTest
    @EnumSource(
            value = ReadyToReceive.class,
            names = {"SEND", "WRITE", "READ"})
    @DisplayName("the initiator's ready-to-receive message is the first, and completes nothing")
    void readyToReceiveFirst(ReadyToReceive message) {
        Station a = new Station();
        Station b = new Station();
        TaggedBuffer local = a.region(100);
        TaggedBuffer remote = Station.fill(b.region(100), 1);
        a.send(1, local, 0, 4);
        a.read(2, local, 0, 100, remote.stag(), 0x1000);
        b.postReceive(1, remote, 0, 100);
        b.postReceive(2, remote, 0, 100);
        Pair pair = Pair.connected(a, b, 1, 1, message);

        assertThat(a.lower.poll(a.stream, 0)).isTrue();
        a.lower.transmit(a.stream, 0);
        assertThat(a.lower.wire.peek())
                .isEqualTo(Vectors.hex(Vectors.byId("RTR-" + message)
                        .json()
                        .path("segments")
                        .path(0)
                        .path("ulpdu")
                        .asText()));
        assertThat(a.completions).isEmpty();
        pair.run();

        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        // RFC 5040 §5.3: a ready-to-receive Send consumes a receive like any other.
        assertThat(b.receives()).hasSize(message == ReadyToReceive.SEND ? 2 : 1);
        assertThat(b.receives().get(0).length()).isEqualTo(message == ReadyToReceive.SEND ? 0 : 4);
        assertThat(a.failures + b.failures).isZero();
    }

    @Test
    @DisplayName("operations that send nothing execute before it; those that send wait for it")
    void localOperationsBeforeIt() {
        Station a = new Station();
        TaggedBuffer local = a.region(100);
        TaggedBuffer gone = a.region(100);
        a.establish(true, 1, 1, ReadyToReceive.SEND);
        a.post(Kind.LOCAL_INVALIDATE, 1, op -> op.invalidateSTag(gone.stag()));
        a.send(2, local, 0, 4);
        a.stream.performLocal(0);
        assertThat(gone.valid()).isFalse();
        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(a.lower.sent(a.stream)).containsExactly(Ulpdus.send(1), Ulpdus.send(2, new byte[4]));
    }

    @Test
    @DisplayName("a Read waits until the ready-to-receive Read is answered if ORD is 1")
    void readyToReceiveReadIsACredit() {
        Station a = new Station();
        TaggedBuffer local = a.region(100);
        a.read(1, local, 0, 100, 5, 0);
        a.establish(true, 1, 1, ReadyToReceive.READ);
        assertThat(a.lower.sent(a.stream)).hasSize(1);
        a.take(Ulpdus.readResponse(true, 0, 0));
        assertThat(a.lower.sent(a.stream)).hasSize(1);
    }

    @Test
    @DisplayName("a Read needs one piece of registered memory at most, an Atomic exactly eight bytes")
    void memoryOfRequests() {
        Station two = new Station().establish();
        TaggedBuffer local = two.region(100);
        two.post(Kind.RDMA_READ, 1, op -> {
            op.memory().add(local, 0, 1);
            op.memory().add(local, 1, 1);
        });
        two.lower.sent(two.stream);
        assertThat(two.sendResults()).containsExactly("1 LOC_QP_OP_ERR");

        Station inline = new Station().establish();
        inline.post(Kind.RDMA_READ, 1, op -> op.memory().addInline(java.nio.ByteBuffer.allocate(1), 0, 1));
        inline.lower.sent(inline.stream);
        assertThat(inline.sendResults()).containsExactly("1 LOC_QP_OP_ERR");

        Station seven = new Station().establish();
        TaggedBuffer small = seven.region(7);
        seven.post(Kind.ATOMIC_FETCH_AND_ADD, 1, op -> op.memory().add(small, 0, 7));
        seven.lower.sent(seven.stream);
        assertThat(seven.sendResults()).containsExactly("1 LOC_LEN_ERR");
    }
}
