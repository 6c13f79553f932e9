package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EventLoops;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * jwarp in a service with event loops: round trips of Sends, one at a time, from completion handler to completion
 * handler. Each end has a context with one event loop.
 */
final class HandlerEcho implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int RECEIVES = 8;
    private static final int QUEUE = 256;
    private static final long SELECT_MILLIS = 10_000;

    private final int length;
    private final End server;
    private final End client;
    private final Histogram times = Contender.histogram();
    private volatile @Nullable CountDownLatch done;
    private long deadline;
    private long sentAt;

    /**
     * @param arguments {@code size=N}; {@code loops=own|netty|selector}: event loops of jwarp or, for the last two, of
     * the program; settings of jwarp
     */
    HandlerEcho(Arguments arguments) throws InterruptedException, IOException {
        length = arguments.number("size", 64);
        server = new End(arguments, this::echo);
        client = new End(arguments, this::answered);
        CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
        Thread far = new Thread(() -> server.accept(listening), "far end");
        far.setDaemon(true);
        far.start();
        client.connect(listening.join());
        if (server.selector == null) {
            far.join();
        }
    }

    /** One end; its handler is called for each message. */
    private final class End {
        private final Context context;
        private final CompletionQueue completions;
        private final MemoryRegion memory;
        private final ProtectionDomain domain;
        private final SendWorkRequest send;
        private final ReceiveWorkRequest receive;
        private final Runnable received;
        private final @Nullable Selector selector;
        private @Nullable QueuePair queuePair;

        End(Arguments arguments, Runnable received) throws IOException {
            this.received = received;
            Device device = RdmaProvider.load().device("jwarp0");
            String loops = arguments.text("loops", "own");
            selector = loops.equals("selector") ? Selector.open() : null;
            if (selector != null) {
                context = device.open(arguments.settings(), EventLoops.selector(selector));
            } else if (loops.equals("netty")) {
                EventLoops one = EventLoops.netty(new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()));
                context = device.open(arguments.settings(), one);
            } else {
                Map<String, String> settings = new HashMap<>(arguments.settings());
                settings.putIfAbsent("jwarp.tcp.event-loops", "1");
                context = device.open(Progress.THREADED, settings);
            }
            completions = context.createCompletionQueue(QUEUE);
            completions.onCompletion(this::completed);
            domain = context.allocateProtectionDomain();
            memory = domain.allocate(2 * length, AccessFlag.LOCAL_WRITE);
            send = new SendWorkRequest().add(memory, 0, length).signaled(false);
            receive = new ReceiveWorkRequest().add(memory, length, length);
        }

        private void add(QueuePair made) {
            queuePair = made;
            for (int i = 0; i < RECEIVES; i++) {
                made.postReceive(receive);
            }
        }

        private QueuePairAttributes attributes() {
            return QueuePairAttributes.builder(completions).build();
        }

        void accept(CompletableFuture<InetSocketAddress> listening) {
            try (CmId listener = context.createId()) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                listener.listen(1);
                listening.complete(Objects.requireNonNull(listener.localAddress()));
                CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE), "no connection came");
                add(id.createQueuePair(domain, attributes()));
                id.accept(ConnectionParameters.DEFAULT);
            }
            while (selector != null) {
                select();
            }
        }

        /** One iteration of the program's loop. */
        void select() {
            Selector own = Objects.requireNonNull(selector);
            try {
                if (context.untilPoll() == 0) {
                    own.selectNow(context::ready);
                } else {
                    own.select(context::ready, SELECT_MILLIS);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            context.poll();
        }

        void connect(InetSocketAddress to) {
            CmId id = context.createId();
            id.resolveAddress(null, to);
            add(id.createQueuePair(domain, attributes()));
            id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        }

        private void completed(CompletionQueue from, WorkCompletion[] all, int count) {
            for (int i = 0; i < count; i++) {
                WorkCompletion completion = all[i];
                if (!completion.succeeded()) {
                    throw new IllegalStateException(completion.describe());
                }
                if (completion.opcode() == WorkCompletionOpcode.RECV) {
                    Objects.requireNonNull(queuePair).postReceive(receive);
                    received.run();
                }
            }
        }

        void send() {
            Objects.requireNonNull(queuePair).postSend(send);
        }
    }

    private void echo() {
        server.send();
    }

    private void answered() {
        long now = System.nanoTime();
        times.recordValue(now - sentAt);
        if (now < deadline) {
            sentAt = now;
            client.send();
        } else {
            Objects.requireNonNull(done).countDown();
        }
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        times.reset();
        long start = System.nanoTime();
        deadline = start + nanos;
        sentAt = start;
        done = latch;
        client.send();
        while (client.selector != null && latch.getCount() > 0) {
            client.select();
        }
        latch.await();
        return Sample.ofRoundTrips(times, length, System.nanoTime() - start);
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
