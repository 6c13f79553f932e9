package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * System calls per message and copies per byte, counted by the code itself while one thread drives both ends over
 * loopback. These numbers determine the speed and do not depend on the load of the machine.
 */
@DisplayName("On the data path")
class DataPathCostTest {
    private static final int LISTS = 200;

    /** The counters of a context, before and after. */
    private static final class Costs {
        private final Context context;
        private final Map<String, Long> before;

        Costs(Context context) {
            this.context = context;
            before = now();
        }

        private Map<String, Long> now() {
            return context.counters().stream().collect(Collectors.toMap(Counter::name, Counter::value));
        }

        double of(String counter, long pieces) {
            return (double) (now().get(counter) - before.get(counter)) / pieces;
        }
    }

    private static final class Posted {
        private final SendWorkRequest[] list;
        private final WorkCompletion[] batch = WorkCompletion.array(64);

        Posted(int length) {
            list = new SendWorkRequest[length];
            for (int i = 0; i < length; i++) {
                list[i] = new SendWorkRequest();
            }
        }

        /** The same with a completion handler, which counts the completions. */
        void run(Context context, QueuePair from, int[] done) {
            for (int i = 0; i < LISTS; i++) {
                done[0] = 0;
                assertThat(from.postSend(list, list.length)).isEqualTo(list.length);
                while (done[0] < list.length) {
                    context.poll();
                }
            }
        }

        /** Posts the list repeatedly, each time after all its requests are complete. */
        void run(Context context, QueuePair from, CompletionQueue completions) {
            for (int i = 0; i < LISTS; i++) {
                assertThat(from.postSend(list, list.length)).isEqualTo(list.length);
                int done = 0;
                while (done < list.length) {
                    context.poll();
                    int count = completions.poll(batch);
                    for (int k = 0; k < count; k++) {
                        assertThat(batch[k].succeeded()).as(batch[k].describe()).isTrue();
                        batch[k].release();
                    }
                    done += count;
                }
            }
        }
    }

    @ParameterizedTest(name = "Writes of {0} bytes, {1} in a list: {2} calls to send and {3} to receive a message")
    @DisplayName("a connection makes few system calls per message, and sends long payloads without a copy")
    @CsvSource({
        "64, 32, 0.04, 0.04", // a list is one call
        "4096, 32, 0.04, 0.05", // 128 KiB
        "65536, 1, 1.5, 2.5", // TCP may send or receive it in two pieces
        "65536, 4, 0.4, 1.5", // 256 KiB: one batch has room for them
        "1048576, 1, 6, 16"
    })
    void connections(int octets, int listed, double writes, double reads) {
        try (World world = World.of(World.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            Connected pair = Connected.in(world);
            MemoryRegion target = pair.passive.memory;
            Posted posted = new Posted(listed);
            for (SendWorkRequest request : posted.list) {
                request.add(pair.active.memory, 0, octets).rdmaWrite(target.address(), target.rkey());
            }
            Context both = world.connecting();
            posted.run(both, pair.active.queuePair, pair.active.completions);
            Costs costs = new Costs(both);
            posted.run(both, pair.active.queuePair, pair.active.completions);

            long messages = (long) LISTS * listed;
            double payload = (double) messages * octets;
            System.out.printf(
                    Locale.ROOT,
                    "| RDMA Write, %,d B, lists of %d | %.3f | %.3f | %.3f | %.3f |%n",
                    octets,
                    listed,
                    costs.of("tcp_writes", messages),
                    costs.of("tcp_reads", messages),
                    costs.of("tcp_buffered", 1) / payload,
                    costs.of("tcp_assembled", 1) / payload);
            assertThat(costs.of("tcp_writes", messages)).as("calls to send").isLessThanOrEqualTo(writes);
            assertThat(costs.of("tcp_reads", messages)).as("calls to receive").isLessThanOrEqualTo(reads);
            double copied = costs.of("tcp_buffered", 1) / payload;
            if (octets > 4096) {
                assertThat(copied)
                        .as("bytes of send buffers for each byte sent")
                        .isLessThan(0.02);
            }
            // One copy places a byte. Messages cut by a read are copied once more.
            assertThat(costs.of("tcp_assembled", 1) / payload)
                    .as("bytes copied once more for each byte received")
                    .isLessThan(octets > 4096 ? 0.7 : 0.1);
        }
    }

    @ParameterizedTest(name = "Writes of {0} bytes, {1} in a list: {2} calls to send and {3} to receive a message")
    @DisplayName("completion handlers need no additional system calls")
    @CsvSource({"64, 32, 0.04, 0.04", "4096, 32, 0.04, 0.05", "65536, 4, 0.4, 1.5"})
    void handlers(int octets, int listed, double writes, double reads) {
        try (World world = World.of(World.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            Context both = world.connecting();
            int[] done = {0};
            CompletionQueue ours = both.createCompletionQueue(4096);
            ours.onCompletion((from, completions, count) -> done[0] += count);
            CompletionQueue theirs = both.createCompletionQueue(4096);
            theirs.onCompletion((from, completions, count) -> {});
            Connected pair = Connected.reporting(world, ours, theirs);
            Posted posted = new Posted(listed);
            for (SendWorkRequest request : posted.list) {
                request.add(pair.active.memory, 0, octets)
                        .rdmaWrite(pair.passive.memory.address(), pair.passive.memory.rkey());
            }
            posted.run(both, pair.active.queuePair, done);
            Costs costs = new Costs(both);
            posted.run(both, pair.active.queuePair, done);
            long messages = (long) LISTS * listed;
            assertThat(costs.of("tcp_writes", messages)).as("calls to send").isLessThanOrEqualTo(writes);
            assertThat(costs.of("tcp_reads", messages)).as("calls to receive").isLessThanOrEqualTo(reads);
        }
    }

    @ParameterizedTest(name = "Write-Records of {0} bytes, {1} in a list: {2} calls to send and to receive a message")
    @DisplayName("a datagram queue pair passes many datagrams to the kernel at once")
    @CsvSource({"64, 32, 0.05", "1024, 32, 0.05", "65536, 1, 2.1", "524288, 1, 13"})
    void datagrams(int octets, int listed, double calls) {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            DatagramSide active = DatagramSide.on(world, 0);
            DatagramSide passive = DatagramSide.on(world, 1);
            AddressHandle handle = active.to(passive);
            Posted posted = new Posted(listed);
            for (SendWorkRequest request : posted.list) {
                request.destination(handle)
                        .add(active.memory, 0, octets)
                        .writeRecord(passive.address(0), passive.memory.rkey());
            }
            posted.run(active.context, active.queuePair, active.completions);
            Costs costs = new Costs(active.context);
            posted.run(active.context, active.queuePair, active.completions);

            long messages = (long) LISTS * listed;
            // Some datagrams are unread when the last one is sent; as many unread ones were there when the count began.
            double received = costs.of("rx_datagrams", 1) / costs.of("tx_datagrams", messages);
            double reads = costs.of("rx_reads", 1) / received;
            System.out.printf(
                    Locale.ROOT,
                    "| Write-Record, %,d B, lists of %d | %.3f | %.3f |%n",
                    octets,
                    listed,
                    costs.of("tx_writes", messages),
                    reads);
            assertThat(costs.of("tx_writes", messages)).as("calls to send").isLessThanOrEqualTo(calls);
            assertThat(reads).as("calls to receive").isLessThanOrEqualTo(calls);
        }
    }
}
