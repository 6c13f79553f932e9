package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.RangeConsumer;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.OperationStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@link MessageRecord}s of one endpoint, created on demand and reused. The owner takes records; the owner, or any
 * thread through a lock-free stack, gives them back.
 */
final class RecordPool {
    private static final VarHandle RETURNED;

    static {
        try {
            RETURNED = MethodHandles.lookup().findVarHandle(RecordPool.class, "returned", MessageRecord.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ValiditySlab slab;
    private final int limit;
    private MessageRecord[] all = new MessageRecord[16];
    private int made;
    private long given;
    private @Nullable MessageRecord free;

    @SuppressWarnings("unused") // through its handle
    private volatile @Nullable MessageRecord returned;

    RecordPool(ValiditySlab slab, int limit) {
        this.slab = slab;
        this.limit = limit;
    }

    /** {@return a free record, or null if all are in use} */
    @Nullable
    MessageRecord take() {
        MessageRecord record = free;
        if (record == null) {
            drain();
            record = free;
        }
        if (record != null) {
            free = record.link;
            record.link = null;
            return record;
        }
        if (made == limit) {
            return null;
        }
        if (made == all.length) {
            all = Arrays.copyOf(all, made * 2);
        }
        record = new MessageRecord(this);
        all[made++] = record;
        return record;
    }

    /** {@return whether all records are in use, most of them by completions not yet released} */
    boolean exhausted() {
        return free == null && made == limit;
    }

    /** Takes a record back. */
    void give(MessageRecord record) {
        record.map.close(slab);
        record.state = MessageRecord.State.FREE;
        record.status = OperationStatus.SUCCESS;
        record.region = null;
        record.receive = null;
        record.link = free;
        free = record;
        given++;
    }

    /** {@return the total number of records taken back} */
    long given() {
        return given;
    }

    /** Any thread: see {@link MessageRecord#release}. */
    void release(MessageRecord record) {
        MessageRecord top;
        do {
            top = (MessageRecord) RETURNED.getAcquire(this);
            record.link = top;
        } while (!RETURNED.compareAndSet(this, top, record));
    }

    /** Takes back all released records. */
    void drain() {
        if (returned == null) {
            return;
        }
        MessageRecord record = (MessageRecord) RETURNED.getAndSet(this, (MessageRecord) null);
        while (record != null) {
            MessageRecord following = record.link;
            give(record);
            record = following;
        }
    }

    /**
     * Reports the union of the ranges that Write-Records have placed in a region: see {@link
     * DatagramEndpoint#validity}.
     */
    void validity(TaggedBuffer region, long taggedOffset, long length, RangeConsumer consumer) {
        record Range(long from, long to) {}

        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < made; i++) {
            MessageRecord record = all[i];
            if (record.state != MessageRecord.State.FREE && record.region == region) {
                // The difference is exact modulo 2^64, and both lie in one region.
                long base = record.baseOffset - taggedOffset;
                record.map.forEachRange((offset, octets) -> {
                    long from = Math.max(0, base + offset);
                    long to = Math.min(length, base + offset + octets);
                    if (from < to) {
                        ranges.add(new Range(from, to));
                    }
                });
            }
        }
        ranges.sort(Comparator.comparingLong(Range::from));
        long from = 0;
        long to = 0;
        for (Range range : ranges) {
            if (range.from > to) {
                if (to > from) {
                    consumer.range(from, to - from);
                }
                from = range.from;
            }
            to = Math.max(to, range.to);
        }
        if (to > from) {
            consumer.range(from, to - from);
        }
    }
}
