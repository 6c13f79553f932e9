package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.vectors.Vectors;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Immediate Data and Atomics between streams (RFC 7306)")
class ExtensionsTest {
    private final Pair pair = Pair.connected(16);
    private final Station a = pair.a;
    private final Station b = pair.b;
    private final TaggedBuffer local = Station.fill(a.region(10_000), 1);
    private final TaggedBuffer remote = b.region(10_000);

    private static long value(TaggedBuffer region, int at) {
        return region.memoryAt(0).duplicate().order(ByteOrder.nativeOrder()).getLong(at);
    }

    @Tag("EXT-6.3-1")
    @Tag("EXT-6.4-1")
    @Test
    @DisplayName("a Write with immediate places all its data before the Immediate Data is delivered (EXT-6.4-1)")
    void writeWithImmediate() {
        b.postReceive(1, b.region(8), 0, 8);
        a.post(Kind.RDMA_WRITE_WITH_IMMEDIATE, 1, op -> {
            op.remote(remote.stag(), 0x1000).immediate(0x1122334455667788L);
            op.memory().add(local, 0, 5000);
        });
        List<byte[]> wire = a.lower.sent(a.stream);
        assertThat(wire.subList(0, wire.size() - 1)).allMatch(u -> Ulpdus.opcode(u) == RdmapOpcode.RDMA_WRITE);
        assertThat(wire.get(wire.size() - 1)).isEqualTo(Ulpdus.immediate(1, Vectors.hex("1122334455667788")));
        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        wire.subList(0, wire.size() - 1).forEach(b::take);
        assertThat(b.completions).isEmpty();
        assertThat(Station.octets(remote, 0, 5000)).isEqualTo(Station.octets(local, 0, 5000));
        b.take(wire.get(wire.size() - 1));
        Station.Completion completion = b.receives().get(0);
        assertThat(completion.kind()).isEqualTo(ReceiveDetails.Kind.IMMEDIATE_DATA);
        assertThat(completion.immediate()).isEqualTo(0x1122334455667788L);
        assertThat(completion.length()).isEqualTo(8);
    }

    @Test
    @DisplayName("an empty Write with immediate is a Write and Immediate Data all the same")
    void emptyWriteWithImmediate() {
        a.post(Kind.RDMA_WRITE_WITH_IMMEDIATE, 1, op -> op.immediate(1));
        assertThat(a.lower.sent(a.stream))
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.RDMA_WRITE, RdmapOpcode.IMMEDIATE_DATA);
    }

    @Tag("EXT-6.3-3")
    @Test
    @DisplayName("Send, Immediate Data, Send are delivered in that order (EXT-6.3-3), each in a receive of its own")
    void order() {
        for (int i = 1; i <= 3; i++) {
            b.postReceive(i, remote, i * 100, 100);
        }
        a.send(1, local, 0, 3000 / 100);
        a.post(Kind.IMMEDIATE_DATA, 2, op -> op.immediate(9));
        a.send(3, local, 0, 5);
        pair.run();
        assertThat(b.receives())
                .extracting(Station.Completion::kind)
                .containsExactly(
                        ReceiveDetails.Kind.SEND, ReceiveDetails.Kind.IMMEDIATE_DATA, ReceiveDetails.Kind.SEND);
        assertThat(b.receives().get(1).immediate()).isEqualTo(9);
    }

    @Test
    @DisplayName("a receive of less than 8 octets is too short for Immediate Data (A31)")
    void shortReceive() {
        b.postReceive(1, remote, 0, 7);
        b.take(Ulpdus.immediate(1, Ulpdus.octets(8)));
        assertThat(b.failure).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
        assertThat(b.receiveResults()).containsExactly("1 LOC_LEN_ERR");
        assertThat(Station.octets(remote)).containsOnly(0);
    }

    @Test
    @DisplayName("Immediate Data is read from a receive of several pieces, and from several segments")
    void scatteredImmediate() {
        ReceiveOperation receive = new ReceiveOperation(4);
        receive.memory().add(remote, 0, 0);
        receive.memory().add(remote, 100, 3);
        receive.memory().add(remote, 50, 5);
        b.postReceive(receive);
        b.take(Ulpdus.untagged(RdmapOpcode.IMMEDIATE_DATA, false, 0, 0, 1, 0, Vectors.hex("0102")));
        b.take(Ulpdus.untagged(RdmapOpcode.IMMEDIATE_DATA, true, 0, 0, 1, 2, Vectors.hex("f30405060708")));
        assertThat(b.receives().get(0).immediate()).isEqualTo(0x0102f30405060708L);
    }

    @Tag("EXT-5.2.1-3")
    @Tag("EXT-5.2.1-4")
    @Tag("EXT-5.2.2-4")
    @Test
    @DisplayName(
            "ten FetchAdds on one word return 0 to 9, in order, without a completion at the peer (EXT-5.2.1-3, -4)")
    void fetchAdds() {
        for (int i = 0; i < 10; i++) {
            a.fetchAndAdd(i, local, i * 8, 1, remote.stag(), 0x1000);
        }
        pair.run();
        for (int i = 0; i < 10; i++) {
            assertThat(value(local, i * 8)).isEqualTo(i);
        }
        assertThat(value(remote, 0)).isEqualTo(10);
        assertThat(b.completions).isEmpty();
    }

    @Tag("EXT-5.1.1-2")
    @Tag("EXT-5.1.2-1")
    @Test
    @DisplayName("masks reach the peer: two fields of 32 bits, and a swap of some bits if some others match")
    void masks() {
        remote.memoryAt(0).duplicate().order(ByteOrder.nativeOrder()).putLong(0, 0x0000000100000001L);
        a.post(Kind.ATOMIC_FETCH_AND_ADD, 1, op -> {
            op.memory().add(local, 0, 8);
            op.remote(remote.stag(), 0x1000).fetchAndAdd(0x00000001ffffffffL, 0x8000000080000000L);
        });
        pair.run();
        assertThat(value(remote, 0)).isEqualTo(0x0000000200000000L);
        a.post(Kind.ATOMIC_COMPARE_AND_SWAP, 2, op -> {
            op.memory().add(local, 8, 8);
            op.remote(remote.stag(), 0x1000)
                    .compareAndSwap(0xffff_fff2_ffff_ffffL, 0x0000000f00000000L, -1, 0x00000000000000ffL);
        });
        pair.run();
        assertThat(value(remote, 0)).isEqualTo(0x00000002000000ffL);
        assertThat(value(local, 8)).isEqualTo(0x0000000200000000L);
    }

    @Tag("EXT-5.2.1-5")
    @Test
    @DisplayName("fields that FetchAdd does not use are ignored on receipt (EXT-5.2.1-5)")
    void unusedFields() {
        byte[] request = Ulpdus.fetchAdd(1, 9, remote.stag(), 0x1000, 5);
        for (int i = 54; i < 70; i++) {
            request[i] = (byte) ~request[i];
        }
        request[18] = (byte) 0xff;
        request[21] = (byte) 0xf0;
        b.take(request);
        assertThat(b.lower.sent(b.stream)).hasSize(1);
        assertThat(value(remote, 0)).isEqualTo(5);
    }

    @Tag("EXT-5.1.2-2")
    @Tag("EXT-5.2.1-6")
    @Test
    @DisplayName("the address must be aligned, not the TO: TO 4 at a multiple of 8 is good, TO 8 is not (EXT-5.2.1-6)")
    void alignment() {
        TaggedBuffer region = b.region(64, 4, Station.ALL);
        b.take(Ulpdus.fetchAdd(1, 1, region.stag(), 4, 1));
        assertThat(b.lower.sent(b.stream)).extracting(Ulpdus::opcode).containsExactly(RdmapOpcode.ATOMIC_RESPONSE);
        byte[] before = Station.octets(region);
        b.take(Ulpdus.atomic(2, AtomicRequestHeader.COMPARE_SWAP, 2, region.stag(), 8, 1));
        assertThat(b.failure).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(Station.octets(region)).isEqualTo(before);
    }

    @Tag("EXT-5.3-1")
    @Test
    @DisplayName("two streams in two threads add 10,000 times each to one word: the sum is 20,000 (EXT-5.3-1)")
    void twoStreams() throws InterruptedException {
        STagTable table = new STagTable(new Random(5), 100);
        Station owner = new Station(StreamSettings.DEFAULT, 1, 9, table);
        TaggedBuffer word = owner.region(8);
        Set<Long> seen = java.util.Collections.synchronizedSet(new HashSet<>());
        Runnable work = () -> {
            Station server = new Station(StreamSettings.DEFAULT, 1, 1, table);
            Station client = new Station();
            Pair both = Pair.connected(client, server, 16, 0, ReadyToReceive.NONE);
            TaggedBuffer sink = client.region(8 * 50);
            for (int round = 0; round < 200; round++) {
                for (int i = 0; i < 50; i++) {
                    client.fetchAndAdd(i, sink, i * 8, 1, word.stag(), 0x1000);
                }
                both.run();
                for (int i = 0; i < 50; i++) {
                    seen.add(value(sink, i * 8));
                }
            }
            assertThat(client.completions)
                    .hasSize(10_000)
                    .allMatch(c -> c.status().name().equals("SUCCESS"));
        };
        Thread other = new Thread(work);
        other.start();
        work.run();
        other.join();
        assertThat(value(word, 0)).isEqualTo(20_000);
        assertThat(seen).hasSize(20_000);
    }

    @Tag("DDP-4.3-2")
    @Test
    @DisplayName("sequence numbers go from 2^32 - 1 to 0 on every queue (RFC 5041 §4.3)")
    void wrap() {
        Station c = new Station();
        Station d = new Station();
        c.stream.startAt(0xfffffffe, 0xfffffffe);
        d.stream.startAt(0xfffffffe, 0xfffffffe);
        Pair both = Pair.connected(c, d, 2, 2, ReadyToReceive.NONE);
        TaggedBuffer mine = c.region(1000);
        TaggedBuffer theirs = d.region(1000);
        for (int i = 0; i < 5; i++) {
            d.postReceive(i, theirs, 0, 100);
            c.send(i, mine, 0, 10);
            c.fetchAndAdd(10 + i, mine, 0, 1, theirs.stag(), 0x1000 + 200);
            c.read(20 + i, mine, 100, 10, theirs.stag(), 0x1000);
        }
        both.run();
        assertThat(c.sends()).hasSize(15).allMatch(x -> x.status().name().equals("SUCCESS"));
        assertThat(d.receives()).hasSize(5);
        assertThat(c.failures + d.failures).isZero();
    }
}
