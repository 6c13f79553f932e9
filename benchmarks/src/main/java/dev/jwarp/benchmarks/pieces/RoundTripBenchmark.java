package dev.jwarp.benchmarks.pieces;

import java.io.IOException;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A round trip whose ends take turns in one thread: two writes and four reads of a socket, two of which find no bytes,
 * without any wait. The difference to java.nio is the cost of jwarp at both ends, with the caches as the kernel leaves
 * them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class RoundTripBenchmark {
    /** What moves the messages: streams and datagrams of java.nio, and what jwarp has in their place. */
    @Param({"nio", "rc", "single", "handlers", "SocketChannel", "nioDatagrams", "ud", "rd"})
    public String contender = "nio";

    /** Bytes of a message. */
    @Param("64")
    public int length;

    private final int messages;
    private int from;

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private MessageExchange exchange;

    /** A round trip in an operation. */
    public RoundTripBenchmark() {
        this(2);
    }

    /** @param messages number of messages in an operation */
    RoundTripBenchmark(int messages) {
        this.messages = messages;
    }

    /** Opens both ends of the contender. */
    @Setup
    public void open() throws IOException {
        exchange = MessageExchange.of(contender, length);
    }

    /** Messages in alternating directions. */
    @Benchmark
    public void exchange() throws IOException {
        for (int i = 0; i < messages; i++) {
            exchange.move(from);
            from = 1 - from;
        }
    }

    /** Closes both ends. */
    @TearDown
    public void close() throws IOException {
        exchange.close();
    }
}
