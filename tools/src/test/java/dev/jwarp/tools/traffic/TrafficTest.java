package dev.jwarp.tools.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.traffic.Traffic.Moved;
import dev.jwarp.tools.traffic.Traffic.Rhythm;
import dev.jwarp.tools.traffic.TrafficLoad.Operation;
import dev.jwarp.tools.traffic.TrafficLoad.Telling;
import dev.jwarp.tools.traffic.TrafficLoad.Waiting;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Traffic between two ends, over loopback")
class TrafficTest {
    private static final int SIZE = 1000;
    private static final int WINDOW = 32;
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
    private final CompletableFuture<TrafficPlace> nearPlace = new CompletableFuture<>();
    private final CompletableFuture<TrafficPlace> farPlace = new CompletableFuture<>();
    private volatile boolean over;
    /** Runs of the traffic, one behind the other. */
    private int steps = 1;

    @ParameterizedTest(name = "{0} of {1}, waiting by {2}, told by {3}")
    @CsvSource({
        "SEND, RC, SPIN, MEMORY",
        "SEND, RC, NAP, MEMORY",
        "SEND, RC, SPIN, SEND",
        "SEND, RC, BLOCK, SEND",
        "WRITE, RC, SPIN, MEMORY",
        "WRITE, RC, BLOCK, MEMORY",
        "READ, RC, BLOCK, MEMORY",
        "SEND, UD, SPIN, MEMORY",
        "SEND, UD, DOZE, SEND",
        "WRITE, UD, DOZE, SEND",
        "WRITE, UD, SPIN, SEND",
        "READ, UD, DOZE, MEMORY",
    })
    @DisplayName("moves as many messages as it is asked to, with many under way")
    void manyUnderWay(Operation operation, QueuePairType service, Waiting waiting, Telling telling) throws Exception {
        assertThat(run(load(operation, service, waiting, telling), false, 500, Map.of()))
                .satisfies(moved -> assertMoved(moved, 500, service));
    }

    @ParameterizedTest(name = "{0} of {1}, waiting by {2}, told by {3}")
    @CsvSource({
        "SEND, RC, SPIN, MEMORY",
        "SEND, RC, BLOCK, SEND",
        "WRITE, RC, SPIN, MEMORY",
        "WRITE, RC, BLOCK, SEND",
        "FETCH_AND_ADD, RC, BLOCK, MEMORY",
        "COMPARE_AND_SWAP, RC, SPIN, MEMORY",
        "READ, RC, BLOCK, MEMORY",
        "SEND, UD, DOZE, SEND",
        "WRITE, UD, SPIN, SEND",
        "READ, UD, SPIN, MEMORY",
    })
    @DisplayName("moves as many messages as it is asked to, one at a time")
    void oneAtATime(Operation operation, QueuePairType service, Waiting waiting, Telling telling) throws Exception {
        assertThat(run(load(operation, service, waiting, telling), true, 100, Map.of()))
                .satisfies(moved -> assertMoved(moved, 100, service));
    }

    /** What a busy machine brings too late counts as lost, with datagrams. */
    private static void assertMoved(Moved moved, int asked, QueuePairType service) {
        assertThat(moved.messages() + moved.lost()).isEqualTo(asked);
        assertThat(moved.messages()).isPositive();
        if (service == QueuePairType.RC) {
            assertThat(moved.lost()).isZero();
        }
    }

    @Test
    @DisplayName("counts what did not come, and goes on")
    void lostDatagrams() throws Exception {
        Moved moved = run(
                load(Operation.SEND, QueuePairType.UD, Waiting.DOZE, Telling.SEND),
                false,
                500,
                Map.of("jwarp.udp.inject", "loss=10%,seed=7"));

        assertThat(moved.messages() + moved.lost()).isEqualTo(500);
        assertThat(moved.lost()).isPositive();
        assertThat(moved.messages()).isPositive();
    }

    private static TrafficLoad load(Operation operation, QueuePairType service, Waiting waiting, Telling telling) {
        boolean atomic = operation == Operation.FETCH_AND_ADD || operation == Operation.COMPARE_AND_SWAP;
        return new TrafficLoad(
                operation,
                service,
                1,
                atomic ? Long.BYTES : SIZE,
                operation == Operation.WRITE && service == QueuePairType.RC ? 4096 : 0,
                2 * WINDOW,
                2 * WINDOW,
                0,
                waiting,
                telling);
    }

    @ParameterizedTest(name = "{0} deep, {1} posted at once, a completion for each {2}")
    @CsvSource({"32, 32, 20", "32, 20, 20", "5, 5, 4", "7, 3, 7", "64, 64, 33", "32, 32, 8"})
    @DisplayName("goes on, however long the lists are and however few completions are asked for")
    void lists(int depth, int list, int moderation) throws Exception {
        steps = 2; // the second begins behind 500 messages, of which not all were in whole lists
        TrafficLoad load = load(Operation.WRITE, QueuePairType.RC, Waiting.SPIN, Telling.MEMORY);
        Rhythm rhythm = new Rhythm(load.largest(), depth, WINDOW, WINDOW / 4, list, moderation, 0, false, true);

        assertThat(run(load, rhythm, 500, Map.of()).messages()).isEqualTo(500);
    }

    private Moved run(TrafficLoad load, boolean latency, int messages, Map<String, String> settings) throws Exception {
        boolean each = load.operation().fetches();
        return run(
                load,
                latency
                        ? Rhythm.oneByOne(load.largest(), 0)
                        : new Rhythm(load.largest(), WINDOW, WINDOW, WINDOW / 4, 1, each ? 1 : 4, 0, true, false),
                messages,
                settings);
    }

    private Moved run(TrafficLoad load, Rhythm rhythm, int messages, Map<String, String> settings) throws Exception {
        CompletableFuture<Void> serving = CompletableFuture.runAsync(
                () -> {
                    try {
                        serve(load, rhythm, settings);
                    } catch (RuntimeException e) {
                        listening.completeExceptionally(e);
                        farPlace.completeExceptionally(e);
                        throw e;
                    }
                },
                OwnThread.EACH);
        try (TrafficEnd end = end(load, settings)) {
            if (!load.datagrams()) {
                CmId id = end.context().createId();
                id.resolveAddress(null, listening.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS));
                end.add(id.createQueuePair(end.domain(), end.attributes()));
                id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
            }
            nearPlace.complete(end.place());
            end.meet(farPlace.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS), HERE);
            Traffic traffic = traffic(end, rhythm);
            Moved moved = traffic.run(messages, 0);
            for (int step = 1; step < steps; step++) {
                moved = traffic.run(messages, 0);
            }
            over = true;
            if (load.waiting() != Waiting.BLOCK) {
                serving.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            return moved;
        }
    }

    private void serve(TrafficLoad load, Rhythm rhythm, Map<String, String> settings) {
        try (TrafficEnd end = end(load, settings)) {
            if (!load.datagrams()) {
                try (CmId listener = end.context().createId()) {
                    listener.bind(new InetSocketAddress(HERE, 0));
                    listener.listen(1);
                    listening.complete(Objects.requireNonNull(listener.localAddress()));
                    CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE));
                    end.add(id.createQueuePair(end.domain(), end.attributes()));
                    id.accept(ConnectionParameters.DEFAULT);
                }
            }
            TrafficPlace here = end.place();
            farPlace.complete(here);
            end.meet(nearPlace.join(), HERE);
            Traffic traffic = traffic(end, rhythm);
            traffic.serve();
            traffic.settle();
        }
    }

    private static TrafficEnd end(TrafficLoad load, Map<String, String> settings) {
        TrafficEnd end = new TrafficEnd(RdmaProvider.load().device("jwarp0").open(Progress.INLINE, settings), load);
        end.scribble();
        if (load.datagrams()) {
            end.bind(DatagramAttributes.builder(new InetSocketAddress(HERE, 0)).build());
        }
        return end;
    }

    private Traffic traffic(TrafficEnd end, Rhythm rhythm) {
        Onlooker onlooker = new Until();
        Traffic traffic =
                rhythm.depth() == 1 ? new PingPong(end, onlooker, PATIENCE.toNanos()) : new Pipeline(end, onlooker);
        traffic.prepare(rhythm);
        return traffic;
    }

    /** The far end serves until the near one is done. */
    private final class Until implements Onlooker {
        @Override
        public boolean look(long now, boolean idle) {
            return true;
        }

        @Override
        public boolean stop() {
            return false;
        }

        @Override
        public boolean otherIsDone() {
            return over;
        }

        @Override
        public void moved(long messages) {}

        @Override
        public RuntimeException why(WorkCompletion completion) {
            return new IllegalStateException(completion.describe());
        }
    }
}
