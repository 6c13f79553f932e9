package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.tools.conform.Order.Status;
import java.nio.ByteBuffer;

/** Arbitrary bytes, parsed as a command to a conformance target. */
public class OrderFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        Order order = Order.parse(ByteBuffer.wrap(input));
        assertThat(order.data()).hasSizeLessThanOrEqualTo(Math.max(0, input.length));
        if (order.withinReason() && order.number() == Order.PEEK) {
            assertThat(order.c() + Math.min(order.a(), Order.MOST_SHOWN))
                    .isLessThanOrEqualTo(order.d() == 0 ? TargetMemory.ALL : TargetMemory.KEPT);
        }
        assertThat(order.answer(Status.DONE, 0, 0)).hasSize(Order.HEADER);
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
