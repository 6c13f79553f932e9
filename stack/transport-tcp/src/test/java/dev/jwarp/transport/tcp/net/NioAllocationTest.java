package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.io.WaitMode;
import dev.jwarp.transport.tcp.EchoPair;
import dev.jwarp.vectors.Whole;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A round trip over java.nio")
class NioAllocationTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * The JDK's selector looks up its keys by boxed descriptor, an object of 16 bytes for each ready descriptor above
     * 127; a spinning caller does not use the selector.
     */
    private static final int BOXED_DESCRIPTOR = 16;

    @ParameterizedTest(name = "{0}, {1} bytes")
    @CsvSource({"SPIN, 64", "SPIN, 4000", "SPIN, 30000", "SELECT, 64", "SELECT, 30000"})
    @DisplayName("allocates nothing in steady state")
    void allocatesNothing(WaitMode mode, int length) {
        try (EchoPair pair = new EchoPair(new NioTransportProvider(), Map.of("jwarp.progress.wait", mode.name()))) {
            pair.connect();
            run(pair, length, Whole.or(4_000, 20_000));
            int rounds = Whole.or(1_500, 5_000);
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) { // the compiler may allocate on our threads now and then
                long before = THREADS.getCurrentThreadAllocatedBytes();
                run(pair, length, rounds);
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            int eventsOfARound = mode == WaitMode.SPIN ? 0 : 2;
            assertThat(least / rounds).isLessThanOrEqualTo((long) eventsOfARound * BOXED_DESCRIPTOR);
        }
    }

    private static void run(EchoPair pair, int length, int rounds) {
        int target = pair.received() + rounds;
        for (int i = pair.received(); i < target; i++) {
            pair.send(length);
            while (pair.received() <= i) {
                pair.client.poll();
                pair.server.poll();
            }
        }
    }
}
