package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many connections at a time, each read and written by four threads in pieces of all lengths; some are closed, shut
 * down or interrupted at any moment. No byte is wrong; no byte is lost on an undisturbed connection; no thread hangs,
 * and no memory is left. {@code -Dtorture.seconds} sets the total time, and {@code -Dtorture.seed} the seed.
 */
@DisplayName("Sockets under torture")
class SocketTortureTest {
    private static final int AT_A_TIME = 6;
    private static final int MOST_BYTES = 400_000;
    private static final int HEADER = 8;
    /** Of {@link #torture}. */
    private static final int ROWS = 6;

    private final long seed = Long.getLong("torture.seed", System.nanoTime());
    private final long end = System.nanoTime()
            + Duration.ofSeconds(Long.getLong("torture.seconds", Whole.or(1, 2)))
                    .dividedBy(ROWS)
                    .toNanos();
    private final Queue<Future<?>> served = new ConcurrentLinkedQueue<>();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger broken = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({
        "RSOCKETS, 0, false",
        "CREDITS, 0, false",
        "CREDITS, 1, false",
        "CREDITS, 20000, false",
        "CREDITS, 0, true",
        "CREDITS, 20000, true"
    })
    @DisplayName(
            "lose no byte, and leave no thread and no memory (protocol, minimum of zero-copy bytes, writes are messages):")
    void torture(StreamProtocol protocol, int zeroCopyBytes, boolean messages) throws Exception {
        try (Ends ends = new Ends(Map.of(
                JwarpSocketOptions.PROTOCOL, protocol,
                JwarpSocketOptions.ZERO_COPY_BYTES, zeroCopyBytes,
                JwarpSocketOptions.MESSAGES, messages))) {
            Future<?> server = ends.run(() -> {
                serve(ends);
                return null;
            });
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < AT_A_TIME; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                workers.add(ends.run(() -> {
                    while (System.nanoTime() < end || whole.get() == 0 || broken.get() == 0) {
                        conversation(ends, random.split());
                    }
                    return null;
                }));
            }
            for (Future<?> worker : workers) {
                Patience.get(worker);
            }
            ends.listener.close();
            assertThatThrownBy(() -> Patience.get(server)).isInstanceOf(ClosedChannelException.class);
            for (Future<?> one : served) {
                Patience.get(one);
            }
            ends.awaitNoMemory();
        } catch (Exception | AssertionError e) {
            throw new AssertionError("with -Dtorture.seed=" + seed, e);
        }
        System.out.println(
                "sockets under torture: " + whole + " conversations were whole, " + broken + " broken on purpose");
        assertThat(whole.get()).isPositive();
        assertThat(broken.get()).isPositive();
    }

    /** The other end, which gets the expected bytes from the first bytes. */
    private void serve(Ends ends) throws IOException {
        while (true) {
            SocketChannel channel = ends.listener.accept();
            served.add(ends.run(() -> {
                try (channel) {
                    ByteBuffer header = ByteBuffer.allocate(HEADER);
                    while (header.hasRemaining()) {
                        if (channel.read(header) < 0) {
                            return null;
                        }
                    }
                    long told = header.getLong(0);
                    Future<?> writer = ends.run(() -> {
                        write(channel, told + 1);
                        return null;
                    });
                    read(channel, told);
                    Patience.get(writer);
                } catch (IOException e) {
                    // The other one broke it, and has looked at what it had.
                }
                return null;
            }));
        }
    }

    private void conversation(Ends ends, SplittableRandom random) throws Exception {
        long told = random.nextLong() & ~1;
        boolean breaks = random.nextInt(4) == 0;
        SocketChannel channel = ends.connect();
        try (channel) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, random.nextBoolean());
            channel.write(ByteBuffer.allocate(HEADER).putLong(0, told));
            Future<Thread> writer = ends.run(() -> {
                write(channel, told);
                return Thread.currentThread();
            });
            if (breaks) {
                Future<?> reader = ends.run(() -> {
                    read(channel, told + 1);
                    return null;
                });
                breakIt(channel, List.of(writer, reader), random);
                broken.getAndIncrement();
            } else {
                assertThat(read(channel, told + 1)).as("bytes until the end").isEqualTo(length(told + 1));
                Patience.get(writer);
                whole.getAndIncrement();
            }
        }
    }

    private static void breakIt(SocketChannel channel, List<Future<?>> threads, SplittableRandom random)
            throws Exception {
        long until = System.nanoTime() + random.nextInt(3_000_000);
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        switch (random.nextInt(3)) {
            case 0 -> channel.close();
            case 1 -> threads.get(random.nextInt(2)).cancel(true);
            default -> {
                channel.shutdownInput();
                channel.close();
            }
        }
        for (Future<?> thread : threads) {
            try {
                if (!thread.isCancelled()) {
                    Patience.get(thread);
                }
            } catch (IOException e) {
                assertThat(channel.isOpen() && e instanceof ClosedByInterruptException)
                        .isFalse();
            }
        }
    }

    private static int length(long told) {
        return new SplittableRandom(told).nextInt(MOST_BYTES);
    }

    private static byte octet(long told, int at) {
        return (byte) ((told >> 8) + at * 31L + (at >> 11));
    }

    private static void write(SocketChannel channel, long told) throws IOException {
        SplittableRandom random = new SplittableRandom(told);
        int length = random.nextInt(MOST_BYTES);
        int at = 0;
        while (at < length) {
            int piece = Math.min(length - at, 1 + random.nextInt(random.nextInt(3) == 0 ? 70_000 : 300));
            ByteBuffer[] parts = new ByteBuffer[1 + random.nextInt(3)];
            int left = piece;
            for (int i = 0; i < parts.length; i++) {
                int part = i == parts.length - 1 ? left : random.nextInt(left + 1);
                parts[i] = random.nextInt(2) == 0 ? ByteBuffer.allocate(part) : ByteBuffer.allocateDirect(part);
                for (int b = 0; b < part; b++) {
                    parts[i].put(b, octet(told, at++));
                }
                left -= part;
            }
            if (channel.write(parts) != piece && channel.isOpen()) {
                throw new AssertionError("a write of a blocking channel was incomplete");
            }
        }
        channel.shutdownOutput();
    }

    /** {@return the number of bytes until the end, all of them correct} */
    private static int read(SocketChannel channel, long told) throws IOException {
        SplittableRandom random = new SplittableRandom(told + 3);
        int at = 0;
        while (true) {
            int room = 1 + random.nextInt(100_000);
            ByteBuffer into = random.nextInt(2) == 0 ? ByteBuffer.allocate(room) : ByteBuffer.allocateDirect(room);
            if (channel.read(into) < 0) {
                return at;
            }
            into.flip();
            while (into.hasRemaining()) {
                byte wanted = octet(told, at);
                byte came = into.get();
                if (came != wanted) {
                    throw new AssertionError("octet " + at + " is " + came + ", and was " + wanted);
                }
                at++;
            }
        }
    }
}
