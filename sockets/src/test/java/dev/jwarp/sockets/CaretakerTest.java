package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The thread that drives sockets while the program makes no call")
class CaretakerTest {
    static Stream<Throwable> wrongs() {
        return Stream.of(
                new OutOfMemoryError("of the test"),
                new IllegalStateException("of the test"),
                new RdmaException(RdmaErrorCode.RESOURCE_BUSY, "of the test"));
    }

    @ParameterizedTest
    @MethodSource("wrongs")
    @DisplayName("continues after a failure:")
    void goesOn(Throwable wrong) throws Exception {
        AtomicInteger thrown = new AtomicInteger();
        try (Ends ends = new Ends()) {
            ends.far.caretaker().driveFor(ends.far.newCondition(() -> {
                thrown.incrementAndGet();
                if (wrong instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) wrong;
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
    @DisplayName("waits longer after each of several failures")
    void waits() throws Exception {
        AtomicInteger thrown = new AtomicInteger();
        AtomicReference<ProgressCondition> condition = new AtomicReference<>();
        try (Ends ends = new Ends()) {
            Caretaker caretaker = ends.far.caretaker();
            condition.set(ends.far.newCondition(() -> {
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

    @Test
    @DisplayName("does not combine writes while it waits on behalf of a selector of the JDK")
    void holdsNothingElsewhere() throws Exception {
        int pieces = 12; // fewer than their peer has room for
        try (Ends ends = new Ends();
                SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            AtomicInteger asked = new AtomicInteger();
            ProgressCondition condition = ends.near.newCondition(() -> asked.incrementAndGet() < 0);
            ends.near.caretaker().driveFor(condition);
            await().until(() -> asked.get() > 0);
            long alone = 2L * pieces; // an RDMA Write and its word for each
            long posted = 0;
            for (int round = 0;
                    round < 100 && posted < alone;
                    round++) { // a wait may just be over, and the next one not begun
                long before = Ends.counted(ends.near, "sends_posted");
                for (int i = 0; i < pieces; i++) {
                    near.write(ByteBuffer.allocate(8192));
                }
                posted = Ends.counted(ends.near, "sends_posted") - before;
                ByteBuffer came = ByteBuffer.allocate(pieces * 8192);
                while (came.hasRemaining()) {
                    far.read(came);
                }
            }
            assertThat(posted).as("work requests for %s pieces", pieces).isEqualTo(alone);
            ends.near.caretaker().driveNoMoreFor(condition);
        }
    }

    @Test
    @DisplayName("continues after an interrupt")
    void interrupted() throws Exception {
        try (Ends ends = new Ends()) {
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("jwarp sockets"))
                    .forEach(Thread::interrupt);
            // Nobody but that thread answers: the program with the listener is in no call.
            Future<Integer> written = ends.run(() -> {
                try (SocketChannel channel = ends.connect()) {
                    return channel.write(ByteBuffer.allocate(100_000));
                }
            });
            assertThat(written.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(100_000);
        }
    }
}
