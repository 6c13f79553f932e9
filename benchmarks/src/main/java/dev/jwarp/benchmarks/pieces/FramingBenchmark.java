package dev.jwarp.benchmarks.pieces;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.mpa.BufferPool;
import dev.jwarp.mpa.FpduAssembler;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.UlpduSink;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One segment of an RDMA Write: built as an FPDU, parsed again, checked and placed; with and without CRC. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class FramingBenchmark {
    private static final long DOMAIN = 7;
    private static final long BASE = 0x1000;
    private static final int RDMA_WRITE = 0x40;

    /** Bytes of payload. */
    @Param({"64", "1388", "32768"})
    public int payload;

    /** Whether there is a CRC. */
    @Param({"true", "false"})
    public boolean crc;

    private final STagTable table = new STagTable(new Random(1), 16);
    private final TaggedAccess access = new TaggedAccess(table, DOMAIN, 1);
    private final DdpSegment segment = new DdpSegment();
    private final FpduBatch batch = new FpduBatch();
    private ByteBuffer source = ByteBuffer.allocate(0);
    private ByteBuffer wire = ByteBuffer.allocate(0);
    private FpduAssembler assembler = new FpduAssembler(false, false, new NoPool());
    private final UlpduSink sink = this::onUlpdu;
    private int stag;
    private int good;

    /** FPDUs are complete here, so no byte needs a buffer. */
    private static final class NoPool implements BufferPool {
        @Override
        public ByteBuffer acquire(int capacity) {
            throw new IllegalStateException("a whole FPDU needs no buffer");
        }

        @Override
        public void release(ByteBuffer buffer) {}
    }

    /** A region to write to, and an FPDU for it. */
    @Setup
    public void prepare() {
        source = ByteBuffer.allocateDirect(payload);
        TaggedBuffer region = table.register(
                DOMAIN, ByteBuffer.allocateDirect(payload), BASE, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        stag = region.stag();
        assembler = new FpduAssembler(crc, false, new NoPool());
        build();
        wire = ByteBuffer.allocateDirect((int) batch.remaining());
        for (int i = batch.firstSlice(); i < batch.sliceCount(); i++) {
            wire.put(batch.slices()[i].duplicate());
        }
        wire.flip();
    }

    /** {@return size of the FPDU in bytes} Builds headers and CRC; a large payload is gathered, not copied. */
    @Benchmark
    public long build() {
        batch.reset(crc, false, 0);
        int at = batch.begin(TaggedHeader.LENGTH, payload);
        TaggedHeader.write(batch.buffer(), at, true, RDMA_WRITE, stag, BASE);
        batch.payload(source, 0, payload, true);
        batch.end();
        batch.slices();
        return batch.remaining();
    }

    /** {@return number of placed segments so far} Covers length, CRC, header, checks, and one copy. */
    @Benchmark
    public int place() {
        wire.position(0);
        if (!assembler.receive(wire, sink)) {
            throw new IllegalStateException("a good FPDU was not accepted");
        }
        return good;
    }

    private boolean onUlpdu(ByteBuffer buffer, int offset, int length) {
        if (segment.parse(buffer, offset, length) != null
                || access.checkWrite(segment.stag(), segment.taggedOffset(), segment.payloadLength()) != null) {
            throw new IllegalStateException("a good segment was refused");
        }
        access.place(buffer, segment.payloadOffset(), segment.payloadLength());
        good++;
        return true;
    }
}
