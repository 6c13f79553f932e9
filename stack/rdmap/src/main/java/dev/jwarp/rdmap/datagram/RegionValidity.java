package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.RangeConsumer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The union of what Write-Records have brought to a region. */
final class RegionValidity {
    private record Range(long from, long to) {}

    private RegionValidity() {}

    /** Hands over the ranges from {@code taggedOffset} on: see {@link DatagramEndpoint#validity}. */
    static void collect(RecordPool pool, TaggedBuffer region, long taggedOffset, long length, RangeConsumer consumer) {
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < pool.made(); i++) {
            MessageRecord record = pool.at(i);
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
