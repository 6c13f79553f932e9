package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ThreadModel;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of posting and polling without network traffic: the request releases the binding of a memory window. The socket
 * is polled nevertheless, because progress is inline: that is most of the cost of an empty poll.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class CompletionBenchmark {
    private static final int LIST = 32;
    private static final int OCTETS = 64;

    private final TwoEnds ends = new TwoEnds(OCTETS, ThreadModel.MULTI).connect(QueuePairType.RC);
    private final SendWorkRequest[] requests = new SendWorkRequest[LIST];
    private final WorkCompletion[] batch = WorkCompletion.array(LIST);

    /** Reusable requests. */
    @Setup
    public void prepare() {
        Arrays.setAll(
                requests,
                i -> new SendWorkRequest()
                        .signaled(true)
                        .bindWindow(
                                ends.near.domain.allocateWindow(), ends.near.memory, ends.near.memory.address(), 0));
    }

    /** {@return 0: there is no completion} */
    @Benchmark
    public int pollNothing() {
        return ends.near.completions.poll(batch);
    }

    /** {@return 1} */
    @Benchmark
    public int postAndPoll() {
        ends.near.queuePair.postSend(requests[0]);
        return take(1);
    }

    /** {@return number of requests posted in one list} */
    @Benchmark
    @OperationsPerInvocation(LIST)
    public int postListAndPoll() {
        ends.near.queuePair.postSend(requests, LIST);
        return take(LIST);
    }

    private int take(int wanted) {
        int count = 0;
        while (count < wanted) {
            int more = ends.near.completions.poll(batch);
            for (int i = 0; i < more; i++) {
                if (!batch[i].succeeded()) {
                    throw new IllegalStateException(batch[i].describe());
                }
            }
            count += more;
        }
        return count;
    }

    /** Both ends. */
    @TearDown
    public void close() {
        ends.close();
    }
}
