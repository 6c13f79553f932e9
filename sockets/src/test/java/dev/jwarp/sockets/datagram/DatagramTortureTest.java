package dev.jwarp.sockets.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Sockets that send each other datagrams of all lengths with both protocols, read them or not, and are closed and bound
 * again at any moment, with a thread each; one more thread drives the context. {@code -Dtorture.seconds} sets the time,
 * and {@code -Dtorture.seed} the seed.
 */
@DisplayName("Datagram sockets under torture")
class DatagramTortureTest {
    private static final int SOCKETS = 6;
    /** The header of a datagram: its length, and a number from which its bytes are derived. */
    private static final int HEADER = 8;

    private final long seed = Long.getLong("torture.seed", System.nanoTime());
    private final long end = System.nanoTime()
            + (long) (1e9 * Double.parseDouble(System.getProperty("torture.seconds", Whole.wanted() ? "1" : "0.4")));
    private final AtomicReferenceArray<@Nullable InetSocketAddress> addresses = new AtomicReferenceArray<>(SOCKETS);
    private final AtomicInteger came = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    @Test
    @DisplayName("never deliver a wrong byte, and leave no memory")
    void torture() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Map<String, String> settings = Map.of("jwarp.udp.segmentation", "send");
        try (Context context = RdmaProvider.load().device("jwarp0").open(Progress.INLINE, settings)) {
            DatagramHome home = new DatagramHome(context);
            AtomicBoolean over = new AtomicBoolean();
            Future<?> driver = threads.submit(() -> {
                while (!over.get()) {
                    context.await(Duration.ofMillis(10));
                }
            });
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < SOCKETS; i++) {
                int own = i;
                SplittableRandom random = new SplittableRandom(seed + i);
                workers.add(threads.submit(() -> {
                    while (System.nanoTime() < end || came.get() == 0) {
                        live(home, own, random);
                    }
                    return null;
                }));
            }
            for (Future<?> worker : workers) {
                worker.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            await().untilAsserted(() -> {
                assertThat(home.slotsLeft()).isEqualTo(DatagramHome.RECEIVES);
                assertThat(home.sendMemory().isFree())
                        .as("all send memory is free")
                        .isTrue();
            });
            over.set(true);
            driver.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | AssertionError | ConditionTimeoutException e) {
            throw new AssertionError("with -Dtorture.seed=" + seed, e);
        } finally {
            threads.shutdownNow();
        }
        System.out.println("datagram sockets under torture: " + came + " datagrams came, " + closed + " were closed");
        assertThat(came.get()).isPositive();
        assertThat(closed.get()).isPositive();
    }

    /** From a bind to a close. */
    private void live(DatagramHome home, int own, SplittableRandom random) throws IOException {
        DatagramMode mode = List.of(DatagramMode.PLAIN, DatagramMode.IWARP, DatagramMode.EITHER)
                .get(random.nextInt(3));
        try (DatagramEnd socket = new DatagramEnd(
                home,
                bits -> {},
                to -> mode,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                1 << random.nextInt(12, 20),
                1 << random.nextInt(12, 20))) {
            addresses.set(own, socket.localAddress());
            ByteBuffer[] into = {ByteBuffer.allocate(3), ByteBuffer.allocate(DatagramEnd.LONGEST)};
            for (int steps = random.nextInt(20_000);
                    steps > 0 && (System.nanoTime() < end || came.get() == 0);
                    steps--) {
                InetSocketAddress to = addresses.get(random.nextInt(SOCKETS));
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> send(socket, to, random);
                    case 3 -> socket.connect(random.nextBoolean() ? to : null);
                    default -> receive(socket, into);
                }
            }
        }
        closed.incrementAndGet();
    }

    private static void send(DatagramEnd socket, @Nullable InetSocketAddress to, SplittableRandom random)
            throws IOException {
        if (to == null) {
            return;
        }
        int most = random.nextInt(10) == 0 ? DatagramEnd.LONGEST : 3_000;
        byte[] bytes = new byte[random.nextInt(HEADER, most + 1)];
        int told = random.nextInt();
        ByteBuffer.wrap(bytes).putInt(0, bytes.length).putInt(4, told);
        for (int i = HEADER; i < bytes.length; i++) {
            bytes[i] = (byte) (told + i);
        }
        int cut = random.nextInt(bytes.length);
        ByteBuffer[] from = {ByteBuffer.wrap(bytes, 0, cut), ByteBuffer.wrap(bytes, cut, bytes.length - cut)};
        int sent = socket.send(from, 0, from.length, to);
        assertThat(sent).isIn(bytes.length, DatagramEnd.NO_ROOM);
        assertThat(from[0].hasRemaining() || from[1].hasRemaining()).isEqualTo(sent < 0);
    }

    private void receive(DatagramEnd socket, ByteBuffer[] into) {
        int length = socket.receive(into, 0, into.length);
        if (length < 0) {
            return;
        }
        byte[] bytes = new byte[length];
        into[0].flip().get(bytes, 0, into[0].limit());
        into[1].flip().get(bytes, into[0].limit(), length - into[0].limit());
        ByteBuffer head = ByteBuffer.wrap(bytes);
        assertThat(head.getInt(0)).isEqualTo(length);
        for (int i = HEADER; i < length; i++) {
            if (bytes[i] != (byte) (head.getInt(4) + i)) {
                throw new AssertionError("byte " + i + " of " + length + " is wrong");
            }
        }
        assertThat(socket.sender()).isNotNull();
        came.incrementAndGet();
        into[0].clear();
        into[1].clear();
    }
}
