package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.verbs.ProgressCondition;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The thread that drives sockets while the program is in no call")
class CaretakerTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("goes on after something went wrong (an Error):")
    void goesOn(boolean error) throws Exception {
        AtomicInteger thrown = new AtomicInteger();
        try (Ends ends = new Ends()) {
            ends.far.driven().caretaker().driveFor(ends.far.driven().newCondition(() -> {
                thrown.incrementAndGet();
                if (error) {
                    throw new OutOfMemoryError("of the test");
                }
                throw new IllegalStateException("of the test");
            }));
            await().until(() -> thrown.get() > 0);
            // Nobody but that thread answers: the program with the listener is in no call.
            try (SocketChannel channel = ends.connect()) {
                assertThat(channel.write(ByteBuffer.allocate(100_000))).isEqualTo(100_000);
            }
            assertThat(thrown).hasValue(1);
        }
    }

    @Test
    @DisplayName("waits longer and longer while something goes wrong each time")
    void waits() throws Exception {
        AtomicInteger thrown = new AtomicInteger();
        AtomicReference<ProgressCondition> condition = new AtomicReference<>();
        try (Ends ends = new Ends()) {
            Caretaker caretaker = ends.far.driven().caretaker();
            condition.set(ends.far.driven().newCondition(() -> {
                thrown.incrementAndGet();
                caretaker.driveFor(condition.get());
                throw new IllegalStateException("of the test");
            }));
            long begun = System.nanoTime();
            caretaker.driveFor(condition.get());
            await().until(() -> thrown.get() >= 6);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo((1 + 2 + 4 + 8 + 16) * 1_000_000);
            caretaker.driveNoMoreFor(condition.get());
        }
    }
}
