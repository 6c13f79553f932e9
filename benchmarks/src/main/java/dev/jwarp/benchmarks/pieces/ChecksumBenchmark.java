package dev.jwarp.benchmarks.pieces;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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

/** CRC32C of the JDK by number of bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class ChecksumBenchmark {
    /** Sizes of a small message, of an FPDU on Ethernet, and of larger FPDUs. */
    @Param({"64", "256", "1402", "8192", "32768", "65536"})
    public int octets;

    private final CRC32C checksum = new CRC32C();
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    /** Input of the checksum. */
    @Setup
    public void fill() {
        buffer = ByteBuffer.allocateDirect(octets);
        for (int i = 0; i < octets; i++) {
            buffer.put(i, (byte) (i * 31));
        }
    }

    /** {@return the CRC} */
    @Benchmark
    public long sum() {
        checksum.reset();
        checksum.update(buffer.clear());
        return checksum.getValue();
    }
}
