package dev.jwarp.benchmarks.compare;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.StaticDirectory;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Short messages by service id: round trips, calls, or a stream of messages. Each end has a context. */
@SuppressWarnings("ThreadPriorityCheck") // one core
final class MessageEcho implements Contender {
    private static final int SERVER = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int RECEIVES = 8_192;
    private static final int WINDOW_OF_STREAM = 1_024;
    private static final int WINDOW = 16;

    private final int length;
    private final String way;
    private final Turn turn = new Turn();
    private final MessageEndpoint server;
    private final MessageEndpoint[] clients;
    private final ByteBuffer question;
    private final ByteBuffer answer;
    private final TimedRoundTrips trips;
    private final Histogram times = Contender.histogram();
    private volatile @Nullable CountDownLatch done;
    private final AtomicLong received = new AtomicLong();
    private long deadline;
    private long sentAt;

    /**
     * @param arguments {@code carrier=rc|rd|ud size=N clients=N}; {@code way=receive|handlers|calls|stream}: threads that
     *     receive, with inline progress; or handlers on one event loop of each end; settings of jwarp
     */
    MessageEcho(Arguments arguments) throws IOException {
        length = arguments.number("size", 64);
        way = arguments.text("way", "receive");
        question = ByteBuffer.allocateDirect(length);
        answer = ByteBuffer.allocateDirect(length);
        trips = new TimedRoundTrips(length, turn);
        StaticDirectory directory = new StaticDirectory(Map.of(SERVER, freeAddress()));
        EndpointOptions options = EndpointOptions.of(0)
                .withCarriers(
                        QueuePairType.valueOf(arguments.text("carrier", "rc").toUpperCase(Locale.ROOT)))
                .withReceives(RECEIVES, way.equals("stream") ? WINDOW_OF_STREAM : WINDOW)
                .withTimeout(PATIENCE);
        server = MessageEndpoint.open(context(arguments), directory, options.withService(SERVER));
        Context near = context(arguments);
        clients = new MessageEndpoint[arguments.number("clients", 1)];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = MessageEndpoint.open(near, directory, options);
        }
        switch (way) {
            case "receive" -> {
                Thread far = new Thread(this::serve, "far end");
                far.setDaemon(true);
                far.start();
                receiveTrip();
                turn.end();
            }
            case "calls" -> server.onMessage(call -> call.reply(answer));
            case "stream" -> server.onMessage(message -> received.incrementAndGet());
            default -> {
                server.onMessage(message -> server.sendShort(message.source(), answer));
                for (int i = 0; i < clients.length; i++) {
                    int next = (i + 1) % clients.length;
                    clients[i].onMessage(message -> answered(next));
                }
            }
        }
    }

    /** {@return an address of this host whose port was free a moment ago} */
    static InetSocketAddress freeAddress() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
        }
    }

    private Context context(Arguments arguments) {
        Map<String, String> settings = new HashMap<>(arguments.settings());
        settings.putIfAbsent("jwarp.tcp.event-loops", "1");
        return RdmaProvider.load()
                .device("jwarp0")
                .open(way.equals("receive") ? Progress.INLINE : Progress.THREADED, settings);
    }

    private void serve() {
        while (true) {
            turn.await();
            try (Message message = server.receive(PATIENCE)) {
                if (message != null) {
                    server.sendShort(message.source(), answer);
                }
            }
        }
    }

    private void receiveTrip() {
        clients[0].sendShort(SERVER, question);
        Objects.requireNonNull(clients[0].receive(PATIENCE), "no answer came").close();
    }

    private void send(int client) {
        if (way.equals("calls")) {
            var unused = clients[client].call(SERVER, question, PATIENCE).whenComplete((reply, failure) -> {
                Objects.requireNonNull(reply, "a call failed").close();
                answered(0);
            });
        } else {
            clients[client].sendShort(SERVER, question);
        }
    }

    private void answered(int next) {
        long now = System.nanoTime();
        times.recordValue(now - sentAt);
        if (now < deadline) {
            sentAt = now;
            send(next);
        } else {
            Objects.requireNonNull(done).countDown();
        }
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        return switch (way) {
            case "receive" -> trips.round(nanos, this::receiveTrip);
            case "stream" -> stream(nanos);
            default -> chain(nanos);
        };
    }

    /** Each answer sends the next question, on an event loop. */
    private Sample chain(long nanos) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        times.reset();
        long start = System.nanoTime();
        deadline = start + nanos;
        sentAt = start;
        done = latch;
        send(0);
        latch.await();
        return Sample.ofRoundTrips(times, length, System.nanoTime() - start);
    }

    private Sample stream(long nanos) {
        long before = received.get();
        long start = System.nanoTime();
        long sent = 0;
        do {
            clients[0].sendShort(SERVER, question);
            sent++;
        } while (System.nanoTime() - start < nanos);
        long lastSent = System.nanoTime();
        while (received.get() - before < sent && System.nanoTime() - lastSent < nanos) {
            Thread.yield(); // over UD some can be lost
        }
        long arrived = received.get() - before;
        return new Sample(arrived, arrived * length, System.nanoTime() - start, sent - arrived, null);
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
