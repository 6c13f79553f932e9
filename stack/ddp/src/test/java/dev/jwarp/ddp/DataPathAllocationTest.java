package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The path of a segment, in and out, allocates nothing. */
class DataPathAllocationTest {
    private static final int ROUNDS = 20_000;

    private final STagTable table = new STagTable(new SplittableRandom(1), 10);
    private final TaggedBuffer region = table.register(1, ByteBuffer.allocateDirect(4096), 0, Access.REMOTE_WRITE);
    private final TaggedAccess access = new TaggedAccess(table, 1, 1);
    private final Posted posted = new Posted(4096);
    private final UntaggedQueue<Posted> ordered = UntaggedQueue.ordered(() -> posted);
    private final ByteBuffer ulpdu = ByteBuffer.allocateDirect(2048);
    private final DdpSegment segment = new DdpSegment();
    private final Segmenter segmenter = new Segmenter();
    private int refused;

    private void tagged() {
        segmenter.begin(3000, TaggedHeader.LENGTH);
        while (segmenter.hasNext()) {
            int length = segmenter.next(1460);
            TaggedHeader.write(ulpdu, 2, segmenter.last(), 0x40, region.stag(), segmenter.offset());
            refused += segment.parse(ulpdu, 2, TaggedHeader.LENGTH + length) == null ? 0 : 1;
            refused += access.checkWrite(segment.stag(), segment.taggedOffset(), length) == null ? 0 : 1;
            access.place(ulpdu, segment.payloadOffset(), segment.payloadLength());
        }
    }

    private void untagged(UntaggedQueue<Posted> queue) {
        segmenter.begin(3000, UntaggedHeader.LENGTH);
        while (segmenter.hasNext()) {
            int length = segmenter.next(1460);
            UntaggedHeader.write(ulpdu, 2, segmenter.last(), 0x43, 0, queue.nextMsn());
            UntaggedHeader.writeRest(ulpdu, 2, 0, segmenter.offset());
            refused += segment.parse(ulpdu, 2, UntaggedHeader.LENGTH + length) == null ? 0 : 1;
            refused += queue.place(segment, ulpdu, Integer.MAX_VALUE) == null ? 0 : 1;
        }
        queue.delivered();
    }

    private void rounds() {
        for (int i = 0; i < ROUNDS; i++) {
            tagged();
            untagged(ordered);
        }
    }

    @Test
    void allocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The first runs may load classes; the minimum is the cost of the path.
        for (int run = 0; run < 5; run++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            rounds();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(refused).isZero();
        assertThat(least).as("bytes for %d messages", 2 * ROUNDS).isLessThan(ROUNDS / 10);
    }
}
