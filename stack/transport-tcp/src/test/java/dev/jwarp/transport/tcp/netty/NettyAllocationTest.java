package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.tcp.EchoPair;
import dev.jwarp.vectors.Whole;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A round trip over Netty's epoll")
class NettyAllocationTest {
    private static volatile byte[] sink = {};

    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {64, 4000, 60_000})
    @DisplayName("allocates nothing in the event loops in steady state")
    void allocatesNothing(int length) {
        assertThat(octetsARound(length, "1048576", pair -> {})).isZero();
    }

    @Test
    @DisplayName("allocates nothing with gathered payload either")
    void gathering() {
        assertThat(octetsARound(60_000, "4096", pair -> {})).isZero();
    }

    @Test
    @DisplayName("allocates a little for a task, so the other tests can fail")
    void task() {
        assertThat(octetsARound(64, "4096", pair -> pair.connection().execute(() -> sink = new byte[1])))
                .isBetween(1L, 2000L);
    }

    private static long octetsARound(int length, String copyLimit, Consumer<EchoPair> also) {
        Map<String, String> settings = Map.of("jwarp.tcp.event-loops", "1", "jwarp.tcp.copy-limit", copyLimit);
        Set<Thread> others = loops(); // of earlier tests, which may just end
        try (EchoPair pair = new EchoPair(new NettyTransportProvider(), settings)) {
            pair.connect();
            run(pair, length, Whole.or(2_000, 10_000), also);
            int rounds = Whole.or(800, 5_000);
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 4; i++) { // the compiler may allocate on our threads now and then
                long before = allocatedByLoops(others);
                run(pair, length, rounds, also);
                least = Math.min(least, allocatedByLoops(others) - before);
            }
            return least / rounds;
        }
    }

    private static Set<Thread> loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("jwarp-io"))
                .collect(Collectors.toSet());
    }

    private static long allocatedByLoops(Set<Thread> others) {
        return loops().stream()
                .filter(thread -> !others.contains(thread))
                .mapToLong(thread -> THREADS.getThreadAllocatedBytes(thread.getId()))
                .sum();
    }

    private static void run(EchoPair pair, int length, int rounds, Consumer<EchoPair> also) {
        int target = pair.received() + rounds;
        for (int i = pair.received(); i < target; i++) {
            pair.send(length);
            also.accept(pair);
            while (pair.received() <= i) {
                Thread.onSpinWait();
            }
        }
    }
}
