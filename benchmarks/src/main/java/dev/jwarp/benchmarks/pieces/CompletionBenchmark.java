package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
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
 * What posting and polling cost where nothing goes over the wire: the request ends the binding of a memory window. The socket is looked
 * at nevertheless, as progress is inline: that is most of a poll that finds nothing.
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
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Context near = open();
    private final Context far = open();
    private final ProtectionDomain domain = near.allocateProtectionDomain();
    private final CompletionQueue completions = near.createCompletionQueue(4 * LIST);
    private final MemoryRegion region = domain.allocate(OCTETS, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
    private final SendWorkRequest[] requests = new SendWorkRequest[LIST];
    private final WorkCompletion[] batch = WorkCompletion.array(LIST);
    private final QueuePair pair = connect();

    private static Context open() {
        return RdmaProvider.load()
                .device("jwarp0")
                .open(dev.jwarp.verbs.Progress.INLINE, Map.of("jwarp.tcp.wait", "spin"));
    }

    private QueuePair connect() {
        CmId listener = far.createId();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(1);
        CompletableFuture<Void> accepted = CompletableFuture.runAsync(
                () -> {
                    CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE), "no connection came");
                    CompletionQueue queue = far.createCompletionQueue(256);
                    id.createQueuePair(
                            far.allocateProtectionDomain(),
                            QueuePairAttributes.builder(queue).build());
                    id.accept(ConnectionParameters.DEFAULT);
                },
                command -> new Thread(command).start());
        CmId id = near.createId();
        id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        QueuePair made = id.createQueuePair(
                domain,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(2 * LIST)
                        .maxReceiveWorkRequests(2 * LIST)
                        .build());
        id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        accepted.join();
        return made;
    }

    /** Requests that can be posted again and again. */
    @Setup
    public void prepare() {
        Arrays.setAll(
                requests,
                i -> new SendWorkRequest()
                        .signaled(true)
                        .bindWindow(domain.allocateWindow(), region, region.address(), 0));
    }

    /** {@return 0: nothing is there} */
    @Benchmark
    public int pollNothing() {
        return completions.poll(batch);
    }

    /** {@return 1} */
    @Benchmark
    public int postAndPoll() {
        pair.postSend(requests[0]);
        return take(1);
    }

    /** {@return as many as were posted, in one list} */
    @Benchmark
    @OperationsPerInvocation(LIST)
    public int postListAndPoll() {
        pair.postSend(requests, LIST);
        return take(LIST);
    }

    private int take(int wanted) {
        int count = 0;
        while (count < wanted) {
            int more = completions.poll(batch);
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
        near.close();
        far.close();
    }
}
