package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The data path allocates nothing in steady state")
class AllocationTest {
    private static final int ROUNDS = 2000;

    private final FpduBatch batch = new FpduBatch();
    private final ByteBuffer ring = ByteBuffer.allocateDirect(FpduBatch.DEFAULT_CAPACITY);
    private final ByteBuffer[] regions = {ByteBuffer.allocateDirect(64 * 1024), ByteBuffer.allocateDirect(64 * 1024)};
    private final UlpduSink sink = (buffer, offset, length) -> true;
    private long streamOffset;

    @ParameterizedTest(name = "CRC {0}, Markers {1}, payload {2}, read in pieces of {3}")
    @CsvSource({
        "true, false, 64, 300000",
        "true, false, 64, 100",
        "true, false, 20000, 300000",
        "true, false, 20000, 1448",
        "false, false, 20000, 65536",
        "true, true, 1400, 300000",
        "true, true, 1400, 999"
    })
    void nothing(boolean crc, boolean markers, int payload, int piece) {
        FpduAssembler assembler = new FpduAssembler(crc, markers, new OneBuffer());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        round(assembler, crc, markers, payload, piece);
        round(assembler, crc, markers, payload, piece);
        long least = Long.MAX_VALUE;
        for (int attempt = 0;
                attempt < 5 && least >= ROUNDS;
                attempt++) { // the JVM may allocate in our name now and then
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                round(assembler, crc, markers, payload, piece);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes in %d batches", ROUNDS).isLessThan(ROUNDS);
        assertThat(assembler.error()).isNull();
        assertThat(assembler.streamOffset()).isEqualTo(streamOffset);
    }

    /**
     * Builds eight FPDUs from two regions in turn, writes them to the ring like a socket, and reads them back in
     * pieces.
     */
    private void round(FpduAssembler assembler, boolean crc, boolean markers, int payload, int piece) {
        batch.reset(crc, markers, streamOffset);
        for (int i = 0; i < 8; i++) {
            int header = batch.begin(18, payload);
            batch.buffer().putLong(header, i);
            batch.payload(regions[i & 1], i, payload, true);
            batch.end();
        }
        streamOffset = batch.streamOffset();
        ring.clear();
        ByteBuffer[] slices = batch.slices();
        for (int i = batch.firstSlice(); i < batch.sliceCount(); i++) {
            ring.put(slices[i]);
        }
        batch.written(batch.remaining());
        int end = ring.position();
        ring.position(0);
        while (ring.position() < end) {
            ring.limit(Math.min(end, ring.position() + piece));
            assembler.receive(ring, sink);
        }
    }

    private static final class OneBuffer implements BufferPool {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(Fpdu.MAX_LENGTH_WITH_MARKERS);

        @Override
        public ByteBuffer acquire(int capacity) {
            return buffer;
        }

        @Override
        public void release(ByteBuffer released) {}
    }
}
