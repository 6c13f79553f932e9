package dev.jwarp.benchmarks.compare;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron over UDP: round trips, one at a time, or a stream of messages. The media driver and the client of each end run
 * in the end's own thread (as invokers), which spins: two cores have no place for more threads. In a stream an end that
 * has nothing to do yields.
 */
@SuppressWarnings("ThreadPriorityCheck") // one core, and ends that spin
final class AeronEcho implements Contender {
    private static final int STREAM = 1001;
    private static final int BATCH = 64;
    /**
     * Longer than a pause between turns, in which an end does no work; by default Aeron declares it dead after ten
     * seconds.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final End near;
    private final Turn turn = new Turn();
    private final TimedRoundTrips trips;
    private final boolean stream;
    private final int size;
    private long answers;
    private final AtomicLong arrived = new AtomicLong();

    /** @param stream whether messages go one way, and are counted */
    AeronEcho(Arguments arguments, boolean stream) throws IOException {
        this.stream = stream;
        size = arguments.number("size", 64);
        trips = new TimedRoundTrips(size, turn);
        String there = channel();
        String back = channel();
        near = new End("near", size, there, back, (buffer, offset, length, header) -> answers++);
        End[] far = new End[1];
        far[0] = new End("far", size, back, there, (buffer, offset, length, header) -> {
            if (stream) {
                arrived.incrementAndGet();
            } else {
                far[0].offer();
            }
        });
        Thread server = new Thread(
                () -> {
                    while (true) {
                        turn.await();
                        if (far[0].poll() == 0 && stream) {
                            Thread.yield();
                        }
                    }
                },
                "far end");
        server.setDaemon(true);
        server.start();
        turn.begin();
        while (!near.connected() || !far[0].connected()) {
            near.poll();
        }
        turn.end();
    }

    private static String channel() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return "aeron:udp?endpoint=127.0.0.1:" + socket.getLocalPort();
        }
    }

    /** Driver, client, and a stream in each direction; after its creation used by one thread. */
    private final class End {
        private final MediaDriver driver;
        private final Aeron aeron;
        private final Publication out;
        private final Subscription in;
        private final UnsafeBuffer message;
        private final FragmentHandler handler;

        End(String name, int size, String to, String from, FragmentHandler handler) throws IOException {
            Path shared = Path.of("/dev/shm");
            Path folder = Files.isWritable(shared)
                    ? Files.createTempDirectory(shared, "jwarp-aeron-" + name)
                    : Files.createTempDirectory("jwarp-aeron-" + name);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> IoUtil.delete(folder.toFile(), true), "delete " + folder));
            driver = MediaDriver.launch(new MediaDriver.Context()
                    .aeronDirectoryName(folder.toString())
                    .dirDeleteOnStart(true)
                    .warnIfDirectoryExists(false)
                    .threadingMode(ThreadingMode.INVOKER)
                    .clientLivenessTimeoutNs(PATIENCE.toNanos())
                    .imageLivenessTimeoutNs(PATIENCE.toNanos())
                    .publicationConnectionTimeoutNs(PATIENCE.toNanos())
                    .publicationUnblockTimeoutNs(2 * PATIENCE.toNanos()));
            aeron = Aeron.connect(new Aeron.Context()
                    .aeronDirectoryName(folder.toString())
                    .driverTimeoutMs(PATIENCE.toMillis())
                    .useConductorAgentInvoker(true)
                    .driverAgentInvoker(driver.sharedAgentInvoker()));
            message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(size, 64));
            this.handler = new FragmentAssembler(handler);
            in = aeron.addSubscription(from, STREAM);
            out = aeron.addPublication(to, STREAM);
        }

        boolean connected() {
            return out.isConnected() && in.isConnected();
        }

        /** Runs driver, client and subscription once. */
        int poll() {
            driver.sharedAgentInvoker().invoke();
            aeron.conductorAgentInvoker().invoke();
            return in.poll(handler, stream ? BATCH : 1);
        }

        /** Sends a message when there is room; others that wait go in the same datagram. */
        void offerOne(long number) {
            while (out.offer(message) < 0) {
                driver.sharedAgentInvoker().invoke();
                Thread.yield();
            }
            if (number % BATCH == 0) {
                driver.sharedAgentInvoker().invoke();
            }
        }

        void offer() {
            while (out.offer(message) < 0) {
                driver.sharedAgentInvoker().invoke();
            }
            driver.sharedAgentInvoker().invoke(); // sends the message
        }
    }

    @Override
    public Sample round(long nanos) {
        return stream ? stream(nanos) : trips.round(nanos, this::trip);
    }

    private Sample stream(long nanos) {
        long before = arrived.get();
        long sent = 0;
        turn.begin();
        long start = System.nanoTime();
        do {
            near.offerOne(++sent);
        } while (System.nanoTime() - start < nanos);
        while (arrived.get() - before < sent) {
            near.poll();
            Thread.yield();
        }
        turn.end();
        return Sample.ofStream(sent, sent * size, System.nanoTime() - start);
    }

    private void trip() {
        long before = answers;
        near.offer();
        while (answers == before) {
            near.poll();
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
