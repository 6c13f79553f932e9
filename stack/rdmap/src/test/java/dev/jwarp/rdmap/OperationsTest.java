package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.SendOperation.Kind;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Every operation works between two streams")
class OperationsTest {
    private final Pair pair = Pair.connected(4);
    private final Station a = pair.a;
    private final Station b = pair.b;

    @Test
    @DisplayName("a Send of several segments fills a posted receive (RFC 5040 §5.3)")
    void send() {
        TaggedBuffer source = Station.fill(a.region(10_000), 1);
        TaggedBuffer sink = b.region(12_000);
        b.postReceive(50, sink, 100, 11_000);
        a.send(1, source, 0, 10_000);

        pair.run();

        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(b.receives())
                .containsExactly(new Station.Completion(
                        50, true, OperationStatus.SUCCESS, ReceiveDetails.Kind.SEND, 10_000, false, 0, 0));
        assertThat(Station.octets(sink, 100, 10_000)).isEqualTo(Station.octets(source));
        assertThat(Station.octets(sink, 10_100, 900)).containsOnly(0);
    }

    @Tag("RDMAP-5.1-1")
    @Test
    @DisplayName("an RDMA Write places data without a completion at the peer (RFC 5040 §5.1)")
    void write() {
        TaggedBuffer source = Station.fill(a.region(100_000), 2);
        TaggedBuffer target = b.region(100_000, 0xffff_0000L, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        a.write(1, source, 10, 99_990, target.stag(), 0xffff_0005L);

        pair.run();

        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(b.completions).isEmpty();
        assertThat(Station.octets(target, 5, 99_990)).isEqualTo(Station.octets(source, 10, 99_990));
        assertThat(Station.octets(target, 0, 5)).containsOnly(0);
    }

    @Test
    @DisplayName("an RDMA Read places data in memory that grants LOCAL_WRITE only (RFC 5040 §5.2)")
    void read() {
        TaggedBuffer sink = a.region(100_000, 0x10_0000, Access.LOCAL_WRITE);
        TaggedBuffer source = Station.fill(b.region(100_000, 0x7000, Access.REMOTE_READ), 3);
        a.read(1, sink, 1, 99_000, source.stag(), 0x7010);

        pair.run();

        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(b.completions).isEmpty();
        assertThat(Station.octets(sink, 1, 99_000)).isEqualTo(Station.octets(source, 0x10, 99_000));
        assertThat(Station.octets(sink, 99_001, 999)).containsOnly(0);
    }

    @Tag("EXT-5-1")
    @Test
    @DisplayName("FetchAdd and CmpSwap change eight bytes and return the old value (RFC 7306 §5.1)")
    void atomics() {
        TaggedBuffer sink = a.region(64);
        TaggedBuffer target = b.region(64, 0x1004, Station.ALL); // the TO need not be a multiple of 8, the address must
        target.memoryAt(0).duplicate().order(ByteOrder.nativeOrder()).putLong(8, 100);
        a.fetchAndAdd(1, sink, 0, 5, target.stag(), 0x100c);
        a.post(Kind.ATOMIC_COMPARE_AND_SWAP, 2, op -> {
            op.memory().add(sink, 8, 8);
            op.remote(target.stag(), 0x100c).compareAndSwap(105, -1, 7, -1);
        });
        a.post(Kind.ATOMIC_COMPARE_AND_SWAP, 3, op -> {
            op.memory().add(sink, 16, 8);
            op.remote(target.stag(), 0x100c).compareAndSwap(105, -1, 9, -1);
        });

        pair.run();

        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(a.counters.get(RdmapCounter.LOCAL_FAULTS)).isZero();
        var results = sink.memoryAt(0).duplicate().order(ByteOrder.nativeOrder());
        assertThat(results.getLong(0)).isEqualTo(100);
        assertThat(results.getLong(8)).isEqualTo(105);
        assertThat(results.getLong(16)).isEqualTo(7);
        assertThat(target.memoryAt(0).duplicate().order(ByteOrder.nativeOrder()).getLong(8))
                .isEqualTo(7);
        assertThat(b.completions).isEmpty();
    }
}
