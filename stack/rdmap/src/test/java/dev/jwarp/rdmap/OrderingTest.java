package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.vectors.Vectors;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The order of messages and completions (RFC 5040 §5.5, appendix B; RFC 7306 §7)")
class OrderingTest {
    private final Pair pair = Pair.connected(4);
    private final Station a = pair.a;
    private final Station b = pair.b;
    private final TaggedBuffer local = Station.fill(a.region(100_000), 1);
    private final TaggedBuffer remote = Station.fill(b.region(100_000), 2);

    private static List<RdmapOpcode> opcodes(List<byte[]> ulpdus) {
        return ulpdus.stream().map(Ulpdus::opcode).toList();
    }

    /** The opcodes of whole messages: segments of one message count once. */
    private static List<RdmapOpcode> messages(List<byte[]> ulpdus) {
        List<RdmapOpcode> messages = new ArrayList<>();
        for (byte[] ulpdu : ulpdus) {
            if ((ulpdu[0] & 0x40) != 0) {
                messages.add(Ulpdus.opcode(ulpdu));
            }
        }
        return messages;
    }

    @Tag("RDMAP-5.5-5")
    @Test
    @DisplayName("a Send is not complete before the lower layer has sent all of it (§5.5 (14))")
    void sendNeedsTransmission() {
        a.send(1, local, 0, 5000);
        a.send(2, local, 0, 10);
        assertThat(a.lower.poll(a.stream, 0)).isTrue();
        a.lower.transmit(a.stream, 0);
        assertThat(a.completions).isEmpty();

        a.lower.pollAll(a.stream, 0);
        assertThat(a.completions).isEmpty();

        a.lower.transmit(a.stream, 0);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    @DisplayName("nor is it complete because a later Send is")
    void sendNeedsItsOwnTransmission() {
        TaggedBuffer gone = a.region(10);
        a.send(1, local, 0, 10);
        a.lower.pollAll(a.stream, 0);
        a.post(Kind.LOCAL_INVALIDATE, 2, op -> op.invalidateSTag(gone.stag()));
        a.stream.performLocal(0);
        assertThat(gone.valid()).isFalse();
        assertThat(a.completions).isEmpty();
        a.lower.transmit(a.stream, 0);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    @DisplayName(
            "a Read Response contains the bytes at the time it is written, because its source may change at any time")
    void responseIsASnapshot() {
        b.take(Ulpdus.readRequest(1, 1, 0, 100, remote.stag(), 0x1000));
        byte[] before = Station.octets(remote, 0, 100);
        b.lower.pollAll(b.stream, 0);
        remote.memoryAt(0).put(0, new byte[100]);
        b.lower.transmit(b.stream, 0);
        assertThat(b.lower.wire.remove()).isEqualTo(Ulpdus.readResponse(true, 1, 0, before));
    }

    @Tag("RDMAP-5.5-3")
    @Test
    @DisplayName("a Send after a Read completes after the Read (§5.5 (15))")
    void inOrder() {
        a.read(1, local, 0, 10, remote.stag(), 0x1000);
        a.send(2, local, 0, 10);
        b.postReceive(9, remote, 0, 100);
        List<byte[]> wire = a.lower.sent(a.stream);
        assertThat(opcodes(wire)).containsExactly(RdmapOpcode.RDMA_READ_REQUEST, RdmapOpcode.SEND);
        assertThat(a.completions).isEmpty();

        wire.forEach(b::take);
        pair.run();
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Tag("RDMAP-5.5-4")
    @Test
    @DisplayName("a Read completes with the last segment of its Response, not before (§5.5 (19))")
    void readNeedsLastSegment() {
        a.read(1, local, 0, 3000, remote.stag(), 0x1000);
        a.lower.sent(a.stream).forEach(b::take);
        List<byte[]> response = b.lower.sent(b.stream);
        assertThat(response).hasSize(3);
        a.take(response.get(0));
        a.take(response.get(1));
        assertThat(a.completions).isEmpty();
        a.take(response.get(2));
        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Tag("DDP-4.1-1")
    @Tag("DDP-5.2-3")
    @Tag("DDP-5.2-6")
    @Tag("DDP-5.3-1")
    @Tag("DDP-5.3-4")
    @Tag("RDMAP-5.1-2")
    @Test
    @DisplayName("messages leave in the order of posting, segments in rising order, L on the last only (RFC 5041 §4.1,"
            + " §5.3)")
    void submissionOrder() {
        a.write(1, local, 0, 3000, remote.stag(), 0x1000);
        a.send(2, local, 0, 3000);
        a.write(3, local, 0, 0, 0, 0);
        a.send(4, local, 0, 0);
        List<byte[]> wire = a.lower.sent(a.stream);
        assertThat(opcodes(wire))
                .containsExactly(
                        RdmapOpcode.RDMA_WRITE,
                        RdmapOpcode.RDMA_WRITE,
                        RdmapOpcode.RDMA_WRITE,
                        RdmapOpcode.SEND,
                        RdmapOpcode.SEND,
                        RdmapOpcode.SEND,
                        RdmapOpcode.RDMA_WRITE,
                        RdmapOpcode.SEND);
        assertThat(messages(wire))
                .containsExactly(RdmapOpcode.RDMA_WRITE, RdmapOpcode.SEND, RdmapOpcode.RDMA_WRITE, RdmapOpcode.SEND);
        assertThat(wire).allMatch(ulpdu -> ulpdu.length <= a.lower.mulpdu);
    }

    @Test
    @DisplayName("a fenced operation waits for earlier Reads and Atomics; one without a fence does not")
    void fence() {
        a.read(1, local, 0, 10, remote.stag(), 0x1000);
        a.fetchAndAdd(2, local, 16, 1, remote.stag(), 0x1000);
        a.send(3, local, 0, 10);
        a.post(Kind.SEND, 4, op -> op.fence(true).memory().add(local, 0, 10));
        b.postReceive(1, remote, 100, 100);
        b.postReceive(2, remote, 200, 100);

        List<byte[]> wire = a.lower.sent(a.stream);
        assertThat(opcodes(wire))
                .containsExactly(RdmapOpcode.RDMA_READ_REQUEST, RdmapOpcode.ATOMIC_REQUEST, RdmapOpcode.SEND);
        wire.forEach(b::take);
        List<byte[]> answers = b.lower.sent(b.stream);
        a.take(answers.get(0));
        assertThat(a.lower.sent(a.stream)).isEmpty();
        a.take(answers.get(1));
        assertThat(opcodes(a.lower.sent(a.stream))).containsExactly(RdmapOpcode.SEND);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS");
    }

    @Tag("EXT-5.2.1-1")
    @Tag("EXT-7-1")
    @Tag("RDMAP-5.2-1")
    @Tag("RDMAP-5.2.1-3")
    @Test
    @DisplayName("Read and Atomic Responses come in the order of their requests (EXT-7-1)")
    void responsesInOrder() {
        a.read(1, local, 0, 3000, remote.stag(), 0x1000);
        a.fetchAndAdd(2, local, 4000, 1, remote.stag(), 0x1008);
        a.read(3, local, 5000, 10, remote.stag(), 0x1000);
        List<byte[]> requests = a.lower.sent(a.stream);
        // EXT-5.2.1-1: Reads and Atomics share one queue and its sequence numbers.
        assertThat(requests).extracting(ulpdu -> (int) ulpdu[13]).containsExactly(1, 2, 3);
        requests.forEach(b::take);
        assertThat(messages(b.lower.sent(b.stream)))
                .containsExactly(
                        RdmapOpcode.RDMA_READ_RESPONSE, RdmapOpcode.ATOMIC_RESPONSE, RdmapOpcode.RDMA_READ_RESPONSE);
    }

    @Tag("EXT-5.4-1")
    @Tag("RDMAP-5.5-2")
    @Test
    @DisplayName("a Read after a Write reads the written data, a FetchAdd adds to it (§5.5 (12), EXT-5.4-1)")
    void readAfterWrite() {
        local.memoryAt(0).putLong(0, 0);
        a.write(1, local, 0, 8, remote.stag(), 0x1000);
        a.fetchAndAdd(2, local, 16, 0, remote.stag(), 0x1000);
        a.read(3, local, 24, 8, remote.stag(), 0x1000);
        pair.run();
        assertThat(Station.octets(local, 16, 16)).containsOnly(0);
    }

    @Test
    @DisplayName("after four responses in a row, waiting work gets its turn")
    void fairness() {
        for (int i = 1; i <= 4; i++) {
            b.take(Ulpdus.readRequest(i, 1, 0, 10, remote.stag(), 0x1000));
        }
        b.send(1, remote, 0, 3000);
        b.send(2, remote, 0, 10);
        assertThat(b.lower.poll(b.stream, 0)).isTrue();
        for (int i = 5; i <= 5; i++) {
            b.take(Ulpdus.readRequest(i, 1, 0, 10, remote.stag(), 0x1000));
        }
        assertThat(messages(b.lower.sent(b.stream)))
                .containsExactly(
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.SEND,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.SEND);
    }

    @Test
    @DisplayName("a message is sent to its end before another begins, even if a response is pending")
    void notInterleaved() {
        b.send(1, remote, 0, 3000);
        assertThat(b.lower.poll(b.stream, 0)).isTrue();
        b.take(Ulpdus.readRequest(1, 1, 0, 3000, remote.stag(), 0x1000));
        b.send(2, remote, 0, 10);
        assertThat(opcodes(b.lower.sent(b.stream)))
                .containsExactly(
                        RdmapOpcode.SEND,
                        RdmapOpcode.SEND,
                        RdmapOpcode.SEND,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.RDMA_READ_RESPONSE,
                        RdmapOpcode.SEND);
    }

    @Test
    @DisplayName("the MULPDU may change between two segments of a message")
    void mulpduChanges() {
        b.postReceive(1, remote, 0, 10_000);
        a.send(1, local, 0, 10_000);
        a.lower.poll(a.stream, 0);
        a.lower.mulpdu = 128;
        a.lower.poll(a.stream, 0);
        a.lower.mulpdu = 64_768;
        pair.run();
        assertThat(Station.octets(remote, 0, 10_000)).isEqualTo(Station.octets(local, 0, 10_000));
    }

    @Tag("DDP-5.2-1")
    @Tag("DDP-5.2-2")
    @Test
    @DisplayName("the RFC's examples: 2048 bytes with a MULPDU of 1500, untagged and tagged (RFC 5041 §5.2)")
    void examples() {
        a.lower.mulpdu = 1500;
        a.send(1, local, 0, 2048);
        a.write(2, local, 0, 2048, 7, 16384);
        List<byte[]> wire = a.lower.sent(a.stream);
        assertThat(wire).extracting(ulpdu -> ulpdu.length).containsExactly(18 + 1482, 18 + 566, 14 + 1486, 14 + 562);
        assertThat(Vectors.hex("000005ca")).isEqualTo(java.util.Arrays.copyOfRange(wire.get(1), 14, 18));
        assertThat(Vectors.hex("00000000000045ce")).isEqualTo(java.util.Arrays.copyOfRange(wire.get(3), 6, 14));
    }

    @Test
    @DisplayName("scattered pieces, empty ones too, are gathered and scattered in order")
    void pieces() {
        ReceiveOperation receive = new ReceiveOperation(4);
        receive.memory().add(remote, 0, 0);
        receive.memory().add(remote, 10, 1000);
        receive.memory().add(remote, 5000, 0);
        receive.memory().add(remote, 20_000, 4000);
        b.postReceive(receive);
        a.post(Kind.SEND, 1, op -> {
            op.memory().add(local, 0, 0);
            op.memory().add(local, 500, 1);
            op.memory().add(local, 100, 2999);
            op.memory().add(local, 9000, 0);
        });
        pair.run();
        assertThat(Station.octets(remote, 10, 1)).isEqualTo(Station.octets(local, 500, 1));
        assertThat(Station.octets(remote, 11, 999)).isEqualTo(Station.octets(local, 100, 999));
        assertThat(Station.octets(remote, 20_000, 2000)).isEqualTo(Station.octets(local, 1099, 2000));
        assertThat(b.receives().get(0).length()).isEqualTo(3000);
    }

    @Test
    @DisplayName("inline bytes are copied when they are posted")
    void inline() {
        b.postReceive(1, remote, 0, 100);
        byte[] octets = Ulpdus.octets(40);
        a.post(Kind.SEND, 1, op -> {
            java.nio.ByteBuffer source = java.nio.ByteBuffer.wrap(octets.clone());
            op.memory().addInline(source, 0, 30);
            op.memory().addInline(source, 30, 10);
            source.put(0, new byte[40]);
        });
        pair.run();
        assertThat(Station.octets(remote, 0, 40)).isEqualTo(octets);
    }

    @Tag("RDMAP-5.3-6")
    @Test
    @DisplayName("solicited Sends and Immediate Data are marked as such at the peer")
    void solicited() {
        for (int i = 0; i < 4; i++) {
            b.postReceive(i, remote, i * 100, 100);
        }
        a.send(1, local, 0, 4);
        a.post(Kind.SEND, 2, op -> op.solicited(true).memory().add(local, 0, 4));
        a.post(Kind.IMMEDIATE_DATA, 3, op -> op.solicited(true).immediate(5));
        a.post(Kind.IMMEDIATE_DATA, 4, op -> op.immediate(6));
        pair.run();
        assertThat(b.receives()).extracting(Station.Completion::solicited).containsExactly(false, true, true, false);
    }

    @Test
    @DisplayName("while the send queue is held, new operations wait; earlier ones are sent")
    void held() {
        a.send(1, local, 0, 10);
        a.stream.holdSends(true);
        a.send(2, local, 0, 10);
        assertThat(a.lower.sent(a.stream)).hasSize(1);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        int rung = a.lower.doorbells;
        a.stream.holdSends(false);
        assertThat(a.lower.doorbells).isGreaterThan(rung);
        assertThat(a.lower.sent(a.stream)).hasSize(1);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }
}
