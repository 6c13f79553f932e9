package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.TerminateHeader;
import dev.jwarp.vectors.Vectors;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("After an error all work completes once, in order, and the operation at fault has the status of the error")
class FlushTest {
    private final Station a = new Station().establish();
    private final TaggedBuffer local = Station.fill(a.region(10_000), 1);

    private static byte[] terminate(TerminateCode code, byte[] quoted, boolean withReadRequest) {
        ByteBuffer header = ByteBuffer.allocate(TerminateHeader.MAXIMUM_LENGTH);
        int ddp = (quoted[0] & 0x80) != 0 ? 14 : 18;
        ByteBuffer request = withReadRequest ? ByteBuffer.wrap(quoted).slice(18, 28) : null;
        int length = TerminateHeader.write(header, 0, code, ByteBuffer.wrap(quoted, 0, ddp), quoted.length, request);
        byte[] payload = new byte[length];
        header.get(0, payload);
        return Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 0, payload);
    }

    @Tag("RDMAP-6.2.1-2")
    @Test
    @DisplayName("a Terminate with a Read Request sets that Read's status from its code")
    void namedRead() {
        for (int i = 1; i <= 3; i++) {
            a.read(i, local, i * 10, 10, 0x100 + i, 0);
        }
        a.send(4, local, 0, 10);
        List<byte[]> wire = a.lower.sent(a.stream);
        a.postReceive(9, local, 0, 10);
        a.take(terminate(TerminateCode.RDMAP_BASE_BOUNDS, wire.get(1), true));
        assertThat(a.events)
                .containsExactly(
                        "state RTS",
                        "failed RDMAP_BASE_BOUNDS there",
                        "state TERMINATE",
                        "send 1 WR_FLUSH_ERR",
                        "send 2 REM_ACCESS_ERR",
                        "send 3 WR_FLUSH_ERR",
                        "send 4 WR_FLUSH_ERR",
                        "receive 9 WR_FLUSH_ERR");
        assertThat(a.failureMessage.readRequest())
                .isEqualTo(ByteBuffer.wrap(wire.get(1)).slice(18, 28));
    }

    @Test
    @DisplayName("the updated Read Request of a Read under way identifies the same Read")
    void namedReadUnderWay() {
        a.read(1, local, 0, 4000, 0x100, 0);
        byte[] request = a.lower.sent(a.stream).get(0);
        ByteBuffer.wrap(request).putLong(22, 0x1000 + 2000).putInt(30, 2000);
        a.take(terminate(TerminateCode.RDMAP_INVALID_STAG, request, true));
        assertThat(a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
    }

    @Test
    @DisplayName("a refused Atomic is identified by the DDP header alone")
    void namedAtomic() {
        a.read(1, local, 0, 8, 5, 0);
        a.fetchAndAdd(2, local, 8, 1, 5, 1);
        List<byte[]> wire = a.lower.sent(a.stream);
        a.take(terminate(TerminateCode.RDMAP_CATASTROPHIC_STREAM, wire.get(1), false));
        assertThat(a.sendResults()).containsExactly("1 WR_FLUSH_ERR", "2 REM_OP_ERR");
    }

    @Test
    @DisplayName("a refused incomplete Write is identified by STag and offset, fully sent or not")
    void namedWrite() {
        a.read(1, local, 0, 8, 5, 0);
        a.write(2, local, 0, 5000, 7, 0x100);
        a.write(3, local, 0, 5000, 7, 0x9000);
        List<byte[]> wire = a.lower.sent(a.stream);
        a.take(terminate(TerminateCode.DDP_BASE_BOUNDS, wire.get(3), false));
        assertThat(a.sendResults()).containsExactly("1 WR_FLUSH_ERR", "2 REM_ACCESS_ERR", "3 WR_FLUSH_ERR");

        Station other = new Station().establish();
        TaggedBuffer region = other.region(10_000);
        other.write(1, region, 0, 5000, 7, 0x100);
        other.lower.poll(other.stream, 0);
        other.lower.transmit(other.stream, 0);
        other.take(terminate(TerminateCode.DDP_INVALID_STAG, other.lower.wire.remove(), false));
        assertThat(other.sendResults()).containsExactly("1 REM_ACCESS_ERR");
    }

    @Test
    @DisplayName("a refused incomplete Send is identified by its sequence number")
    void namedSend() {
        a.read(1, local, 0, 8, 5, 0);
        a.send(2, local, 0, 10);
        a.post(Kind.RDMA_WRITE_WITH_IMMEDIATE, 3, op -> op.remote(1, 2).immediate(3));
        a.send(4, local, 0, 10);
        List<byte[]> wire = a.lower.sent(a.stream);
        a.take(terminate(TerminateCode.DDP_NO_BUFFER, wire.get(3), false));
        assertThat(a.sendResults())
                .containsExactly("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR", "3 REM_OP_ERR", "4 WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("a Terminate that matches no operation, or has an unknown code, only flushes")
    void namesNothing() {
        a.read(1, local, 0, 8, 5, 0);
        a.lower.sent(a.stream);
        a.take(terminate(TerminateCode.DDP_INVALID_STAG, Ulpdus.readResponse(true, 5, 0), false));
        assertThat(a.sendResults()).containsExactly("1 WR_FLUSH_ERR");

        Station b = new Station().establish();
        b.send(1, b.region(10), 0, 10);
        b.take(Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 0, Vectors.hex("37aa0000")));
        assertThat(b.events).containsExactly("state RTS", "failed ? there", "state TERMINATE", "send 1 WR_FLUSH_ERR");
        assertThat(b.failureMessage.errorCode()).isEqualTo(0xaa);
    }

    @Test
    @DisplayName("siw's Terminate, with its rebuilt header, identifies the Read by its sink")
    void namedBySiw() {
        TaggedBuffer other = a.region(100);
        a.read(1, local, 0, 8, 5, 0);
        a.read(2, other, 0, 8, 5, 0);
        a.lower.sent(a.stream);
        ByteBuffer payload = ByteBuffer.allocate(52);
        payload.put(Vectors.hex("100007000000")); // 0/1/00 with M, D, R, mirrored; length 0
        payload.put(Vectors.hex("41410000000000000001" + "00000008" + "00000000")); // the read size as MSN
        payload.putInt(other.stag());
        a.take(Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 0, payload.array()));
        assertThat(a.sendResults()).containsExactly("1 WR_FLUSH_ERR", "2 REM_ACCESS_ERR");
        assertThat(a.counters.get(RdmapCounter.MIRRORED_TERMINATES_RECEIVED)).isEqualTo(1);
        assertThat(a.failure).isEqualTo(TerminateCode.RDMAP_INVALID_STAG);
    }

    @Tag("RDMAP-5.4-4")
    @Test
    @DisplayName("a Terminate is received without a posted receive (RDMAP-5.4-4)")
    void terminateNeedsNoReceive() {
        a.take(Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 0, Vectors.hex("00000000")));
        assertThat(a.failure).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(a.counters.get(RdmapCounter.TERMINATES_RECEIVED)).isEqualTo(1);
    }

    @Tag("RDMAP-5.4-6")
    @Test
    @DisplayName("every malformed Terminate closes the stream without an answer")
    void brokenTerminates() {
        byte[] word = Vectors.hex("20020000");
        List<byte[]> broken = List.of(
                Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 3, 1, 0, word),
                Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 2, 0, word),
                Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 4, word),
                Ulpdus.untagged(RdmapOpcode.TERMINATE, false, 0, 2, 1, 0, word),
                Ulpdus.untagged(RdmapOpcode.TERMINATE, true, 0, 2, 1, 0, Vectors.hex("200200")));
        for (byte[] ulpdu : broken) {
            Station station = new Station().establish();
            station.take(ulpdu);
            assertThat(station.counters.get(RdmapCounter.BROKEN_TERMINATES_RECEIVED))
                    .isEqualTo(1);
            assertThat(station.failureMessage).isNull();
            assertThat(station.failureFoundHere).isFalse();
            assertThat(station.lower.sent(station.stream)).isEmpty();
            assertThat(station.lower.closeRequested).isTrue();
        }
    }

    @Test
    @DisplayName("memory that the lower layer still reads is released only after transmission or abort")
    void notBeforeTransmission() {
        a.send(1, local, 0, 100);
        a.send(2, local, 100, 5000);
        a.postReceive(9, local, 0, 10);
        a.lower.poll(a.stream, 0);
        a.lower.poll(a.stream, 0);
        a.take(Ulpdus.write(1, 0, (byte) 1));
        assertThat(a.stream.state()).isEqualTo(StreamState.TERMINATE);
        assertThat(a.completions).isEmpty();
        a.lower.pollAll(a.stream, 0);
        a.lower.transmit(a.stream, 0);
        // The operation passed completely to the lower layer succeeds; the Terminate cut off the other.
        assertThat(a.events)
                .endsWith("state TERMINATE", "send 1 SUCCESS", "send 2 WR_FLUSH_ERR", "receive 9 WR_FLUSH_ERR");

        Station b = new Station().establish();
        b.send(1, b.region(10), 0, 10);
        b.lower.pollAll(b.stream, 0);
        b.take(Ulpdus.write(1, 0, (byte) 1));
        assertThat(b.completions).isEmpty();
        b.stream.flushPosted(0);
        assertThat(b.completions).isEmpty();
        b.stream.onClosed(LlpEnd.RESET, 0);
        assertThat(b.sendResults()).containsExactly("1 WR_FLUSH_ERR");
        assertThat(b.failure).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(b.failures).isEqualTo(1);
    }

    @Test
    @DisplayName("from a shared receive queue, a stream flushes only the receives that it took")
    void sharedReceives() {
        Station station = new Station();
        station.receivesShared = true;
        TaggedBuffer region = station.region(100);
        for (int i = 1; i <= 3; i++) {
            station.postReceive(i, region, 0, 10);
        }
        station.establish();
        station.take(Ulpdus.send(1, (byte) 1));
        station.take(Ulpdus.untagged(RdmapOpcode.SEND, false, 0, 0, 2, 0, (byte) 1));
        station.stream.fail(0);
        assertThat(station.receiveResults()).containsExactly("1 SUCCESS", "2 WR_FLUSH_ERR");
        assertThat(station.receivesPosted()).isEqualTo(1);
        assertThat(station.receivesOut()).isZero();
    }

    @Test
    @DisplayName("a receive that is too short completes with LOC_LEN_ERR; the peer's Send is cut off")
    void receiveTooShort() {
        a.postReceive(1, local, 0, 10);
        a.postReceive(2, local, 0, 10);
        a.take(Ulpdus.untagged(RdmapOpcode.SEND, false, 0, 0, 1, 0, Ulpdus.octets(8)));
        a.take(Ulpdus.untagged(RdmapOpcode.SEND, true, 0, 0, 1, 8, Ulpdus.octets(3)));
        assertThat(a.failure).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
        assertThat(a.receiveResults()).containsExactly("1 LOC_LEN_ERR", "2 WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("an error elsewhere flushes a receive that is half filled")
    void halfFilled() {
        a.postReceive(1, local, 0, 10);
        a.take(Ulpdus.untagged(RdmapOpcode.SEND, false, 0, 0, 1, 0, Ulpdus.octets(8)));
        a.take(Ulpdus.write(1, 0, (byte) 1));
        assertThat(a.receiveResults()).containsExactly("1 WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("a message that changes its opcode, offset or number half-way: the codes of rows 10 and 11")
    void brokenContinuation() {
        record Case(TerminateCode code, byte[] second) {}
        byte[] part = Ulpdus.octets(2);
        for (Case each : List.of(
                new Case(
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        Ulpdus.untagged(RdmapOpcode.SEND_WITH_SE, true, 0, 0, 1, 2, part)),
                new Case(TerminateCode.DDP_INVALID_MO, Ulpdus.untagged(RdmapOpcode.SEND, true, 0, 0, 1, 1, part)),
                new Case(TerminateCode.DDP_INVALID_MO, Ulpdus.untagged(RdmapOpcode.SEND, true, 0, 0, 1, 3, part)),
                new Case(TerminateCode.DDP_MSN_RANGE, Ulpdus.untagged(RdmapOpcode.SEND, true, 0, 0, 2, 0, part)))) {
            Station station = new Station().establish();
            TaggedBuffer region = station.region(100);
            station.postReceive(1, region, 0, 10);
            station.postReceive(2, region, 20, 10);
            station.take(Ulpdus.untagged(RdmapOpcode.SEND, false, 0, 0, 1, 0, part));
            station.take(each.second);
            assertThat(station.failure).isEqualTo(each.code);
        }
    }
}
