package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.SendOperation.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A program on one side of a stream that posts random operations of all kinds, derived from a seed. Each operation has
 * its own range of the peer's memory, so that the test can verify every byte at the end.
 */
final class Traffic {
    private static final int AREA = 1 << 17;
    private static final int GUARD = 64;
    private static final List<Kind> KINDS = List.of(
            Kind.SEND,
            Kind.SEND,
            Kind.RDMA_WRITE,
            Kind.RDMA_WRITE,
            Kind.RDMA_READ,
            Kind.RDMA_READ,
            Kind.RDMA_WRITE_WITH_IMMEDIATE,
            Kind.IMMEDIATE_DATA,
            Kind.ATOMIC_FETCH_AND_ADD);

    private record Expected(TaggedBuffer from, int fromAt, TaggedBuffer to, int toAt, int length) {}

    final Station station;

    /** All memory of this side: areas between guards that must stay unchanged. */
    private final ByteBuffer everything = Station.memory(5 * (AREA + GUARD) + GUARD);

    private final TaggedBuffer source;
    private final TaggedBuffer target;
    private final TaggedBuffer sink;
    private final TaggedBuffer receives;
    private final TaggedBuffer counter;
    private final long seed;
    private final Random random;
    private final List<Expected> expected = new ArrayList<>();
    private final List<Integer> atomicResults = new ArrayList<>();

    private Traffic peer;
    private int nextTarget;
    private int nextSink;
    private int nextReceive;
    private int receivesPosted;
    private int left;
    private int posted;

    Traffic(long seed, int operations) {
        station = new Station(StreamSettings.DEFAULT, 16, 1, new STagTable(new Random(seed), 100));
        this.seed = seed;
        random = new Random(seed);
        left = operations;
        source = area(0, Access.REMOTE_READ);
        target = area(1, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        sink = area(2, Access.LOCAL_WRITE);
        receives = area(3, Access.LOCAL_WRITE);
        counter = area(4, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC);
        byte[] octets = new byte[AREA];
        random.nextBytes(octets);
        source.memoryAt(0).put(0, octets);
    }

    private TaggedBuffer area(int number, int access) {
        ByteBuffer slice = everything.slice(GUARD + number * (AREA + GUARD), AREA);
        return station.table.register(Station.DOMAIN, slice, 0x10_0000L * (number + 1), access);
    }

    void meet(Traffic other) {
        peer = other;
    }

    int posted() {
        return posted;
    }

    boolean finishedPosting() {
        return left == 0;
    }

    /** Posts the next operation, if the queue has space. */
    boolean post() {
        if (left == 0) {
            return false;
        }
        SendOperation op = station.sendQueue.claim();
        if (op == null) {
            return false;
        }
        Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        op.reset(kind, posted);
        op.fence(random.nextInt(8) == 0);
        op.solicited(random.nextBoolean());
        int length = random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 40 : 5000);
        int from = random.nextInt(AREA - length);
        switch (kind) {
            case SEND -> {
                expect(from, peer.receives, peer.receive(length + random.nextInt(3)), length);
                memory(op, from, length);
            }
            case RDMA_WRITE, RDMA_WRITE_WITH_IMMEDIATE -> {
                if (kind == Kind.RDMA_WRITE_WITH_IMMEDIATE) {
                    peer.receive(8);
                    op.immediate(posted);
                }
                int at = place(length);
                expect(from, peer.target, at, length);
                memory(op, from, length);
                op.remote(peer.target.stag(), peer.target.baseOffset() + at);
            }
            case RDMA_READ -> {
                int at = nextSink;
                nextSink += length;
                expected.add(new Expected(peer.source, from, sink, at, length));
                if (length > 0) {
                    op.memory().add(sink, at, length);
                }
                op.remote(peer.source.stag(), peer.source.baseOffset() + from);
            }
            case ATOMIC_FETCH_AND_ADD -> {
                int at = nextSink;
                nextSink += 8;
                atomicResults.add(at);
                op.memory().add(sink, at, 8);
                op.remote(peer.counter.stag(), peer.counter.baseOffset()).fetchAndAdd(1, 0);
            }
            default -> {
                peer.receive(8);
                op.immediate(posted);
            }
        }
        station.sendQueue.publish();
        posted++;
        left--;
        // Stops when the longest operation no longer fits.
        if (nextSink > AREA - 6000 || peer.nextTarget > AREA - 6000 || peer.nextReceive > AREA - 6000) {
            left = 0;
        }
        return true;
    }

    private void expect(int from, TaggedBuffer to, int at, int length) {
        expected.add(new Expected(source, from, to, at, length));
    }

    private void memory(SendOperation op, int from, int length) {
        if (length <= 64 && random.nextBoolean()) {
            op.memory().addInline(source.memoryAt(0), from, length);
            return;
        }
        int cut = length == 0 ? 0 : random.nextInt(length);
        op.memory().add(source, from, cut);
        op.memory().add(source, from + cut, length - cut);
    }

    private int place(int length) {
        int at = peer.nextTarget;
        peer.nextTarget += length;
        return at;
    }

    private int receive(int length) {
        int at = nextReceive;
        nextReceive += length;
        station.postReceive(receivesPosted++, receives, at, length);
        return at;
    }

    // ---- checks at the end

    /** All operations of both queues are complete, in order, and every byte is in its place. */
    void assertAllDone() {
        assertThat(station.sends()).hasSize(posted).allMatch(c -> c.status() == OperationStatus.SUCCESS);
        assertThat(station.receives()).hasSize(receivesPosted).allMatch(c -> c.status() == OperationStatus.SUCCESS);
        assertInOrder();
        for (Expected each : expected) {
            assertThat(Station.octets(each.to, each.toAt, each.length))
                    .isEqualTo(Station.octets(each.from, each.fromAt, each.length));
        }
        ByteBuffer results = sink.memoryAt(0).duplicate().order(ByteOrder.nativeOrder());
        for (int i = 0; i < atomicResults.size(); i++) {
            assertThat(results.getLong(atomicResults.get(i))).isEqualTo(i);
        }
        assertThat(peer.counter
                        .memoryAt(0)
                        .duplicate()
                        .order(ByteOrder.nativeOrder())
                        .getLong(0))
                .isEqualTo(atomicResults.size());
        assertGuardsIntact();
    }

    /**
     * After any end: each operation completed once, in order, successes first. (Only the peer's end of its direction
     * makes Reads fail while later Sends succeed.)
     */
    void assertAllBack(boolean halfClosed) {
        assertThat(station.sends()).hasSize(posted);
        assertThat(station.receives()).hasSize(receivesPosted);
        assertThat(station.receivesOut()).isZero();
        assertThat(station.receivesPosted()).isZero();
        assertThat(station.sendQueue.size()).isZero();
        assertInOrder();
        if (!halfClosed) {
            assertSuccessesFirst(station.sends());
        }
        assertSuccessesFirst(station.receives());
        assertGuardsIntact();
    }

    private void assertInOrder() {
        for (int i = 0; i < station.sends().size(); i++) {
            assertThat(station.sends().get(i).id()).isEqualTo(i);
        }
        for (int i = 0; i < station.receives().size(); i++) {
            assertThat(station.receives().get(i).id()).isEqualTo(i);
        }
    }

    private static void assertSuccessesFirst(List<Station.Completion> completions) {
        boolean failed = false;
        for (Station.Completion completion : completions) {
            failed |= completion.status() != OperationStatus.SUCCESS;
            assertThat(failed).isEqualTo(completion.status() != OperationStatus.SUCCESS);
        }
    }

    /** Guards, memory that the peer may only read, and memory without a request are unchanged. */
    void assertGuardsIntact() {
        byte[] guard = new byte[GUARD];
        for (int number = 0; number <= 5; number++) {
            everything.get(number * (AREA + GUARD), guard);
            assertThat(guard).isEqualTo(new byte[GUARD]);
        }
        byte[] original = new byte[AREA];
        new Random(seed).nextBytes(original);
        assertThat(Station.octets(source)).isEqualTo(original);
        assertThat(Station.octets(sink, nextSink, AREA - nextSink)).isEqualTo(new byte[AREA - nextSink]);
        assertThat(Station.octets(receives, nextReceive, AREA - nextReceive)).isEqualTo(new byte[AREA - nextReceive]);
    }
}
