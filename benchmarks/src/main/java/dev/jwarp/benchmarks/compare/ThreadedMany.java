package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Many connections over several threads for each end, from handler to handler: one message in flight on each. A thread
 * is an event loop of one threaded context, or has an inline context of its own; then all contexts of the far end
 * listen at the same port.
 */
final class ThreadedMany implements Contender {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int DEPTH = 4;
    private static final int BACKLOG = 1024;
    private static final long PATIENCE_SECONDS = 30;

    private final int size;
    private final boolean inline;
    private final List<Session> near = new ArrayList<>();
    private final CountDownLatch connected;
    private volatile long deadline;
    private volatile @Nullable CountDownLatch done;
    private final AtomicInteger outstanding = new AtomicInteger();

    /**
     * @param arguments {@code threads=N} for each end; {@code way=loops|contexts}; {@code connections=N}; {@code
     * size=N}; settings of jwarp
     */
    ThreadedMany(Arguments arguments) throws InterruptedException {
        size = arguments.number("size", 1024);
        inline = arguments.is("way", "contexts");
        int connections = arguments.number("connections", 1);
        connected = new CountDownLatch(connections);
        List<Side> far = sides(arguments);
        CmId first = null;
        for (Side side : far) {
            first = side.listen(first);
        }
        List<Side> asking = sides(arguments);
        for (int i = 0; i < connections; i++) {
            Side side = asking.get(i % asking.size());
            near.add(side.connect(Objects.requireNonNull(first)));
        }
        if (!connected.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(connected.getCount() + " connections were not made");
        }
    }

    private List<Side> sides(Arguments arguments) {
        int threads = arguments.number("threads", 1);
        Map<String, String> settings = new HashMap<>(arguments.settings());
        List<Side> sides = new ArrayList<>();
        if (!inline) {
            settings.put("jwarp.tcp.event-loops", String.valueOf(threads));
            sides.add(new Side(settings));
        }
        while (inline && sides.size() < threads) {
            Side side = new Side(settings);
            sides.add(side);
            Thread thread = new Thread(side::drive, "context " + sides.size());
            thread.setDaemon(true);
            thread.start();
        }
        return sides;
    }

    /** A context. */
    private final class Side {
        private final Context context;
        private final ProtectionDomain domain;
        private final CmEventChannel events;

        Side(Map<String, String> settings) {
            context = RdmaProvider.load().device("jwarp0").open(inline ? Progress.INLINE : Progress.THREADED, settings);
            domain = context.allocateProtectionDomain();
            events = context.createEventChannel();
            events.onEvent(this::happened);
        }

        void drive() {
            while (!Thread.currentThread().isInterrupted()) {
                context.await(FOR_EVER);
            }
        }

        /** {@return a new id that listens, at the port of {@code other} unless that is null} */
        CmId listen(@Nullable CmId other) {
            CmId id = context.createId(events);
            if (other == null) {
                id.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                id.listen(BACKLOG);
                return id;
            }
            id.listenWith(other, BACKLOG);
            return other;
        }

        Session connect(CmId to) {
            CmId id = context.createId(events);
            Session session = new Session(this, true);
            id.attach(session);
            id.resolveAddress(null, Objects.requireNonNull(to.localAddress()));
            return session;
        }

        private void happened(CmEvent event) {
            CmId id = Objects.requireNonNull(event.id());
            if (event.type() == CmEventType.ADDR_RESOLVED) {
                ((Session) Objects.requireNonNull(id.attachment())).open(id);
                id.connect();
            } else if (event.type() == CmEventType.CONNECT_REQUEST) {
                new Session(this, false).open(id);
                id.accept();
            } else if (event.type() == CmEventType.ESTABLISHED && id.attachment() != null) {
                connected.countDown();
            } else if (event.type() != CmEventType.ESTABLISHED) {
                throw new IllegalStateException(event.toString());
            }
        }
    }

    /** One end of a connection; used by its thread only. */
    private final class Session implements CompletionHandler {
        private final Side side;
        private final boolean asks;
        private final SendWorkRequest send;
        private final ReceiveWorkRequest receive;
        private volatile @Nullable QueuePair pair;
        private long answers;

        Session(Side side, boolean asks) {
            this.side = side;
            this.asks = asks;
            MemoryRegion memory = side.domain.allocate(2 * size, AccessFlag.LOCAL_WRITE);
            send = new SendWorkRequest().add(memory, 0, size).signaled(false);
            receive = new ReceiveWorkRequest().add(memory, size, size);
        }

        void open(CmId id) {
            CompletionQueue completions = side.context.createCompletionQueue(2 * DEPTH);
            completions.onCompletion(this);
            QueuePair made = id.createQueuePair(
                    side.domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(DEPTH)
                            .maxReceiveWorkRequests(DEPTH)
                            .maxSendElements(1)
                            .maxReceiveElements(1)
                            .build());
            made.postReceive(receive);
            pair = made;
        }

        void send() {
            Objects.requireNonNull(pair).postSend(send);
        }

        @Override
        public void onCompletions(CompletionQueue queue, WorkCompletion[] completions, int count) {
            for (int i = 0; i < count; i++) {
                if (!completions[i].succeeded()) {
                    throw new IllegalStateException(completions[i].describe());
                }
                if (completions[i].opcode() == WorkCompletionOpcode.RECV) {
                    Objects.requireNonNull(pair).postReceive(receive);
                    received();
                }
            }
        }

        private void received() {
            if (!asks) {
                send();
                return;
            }
            answers++;
            if (System.nanoTime() < deadline) {
                send();
            } else if (outstanding.decrementAndGet() == 0) {
                Objects.requireNonNull(done).countDown();
            }
        }
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        long before = answers();
        outstanding.set(near.size());
        long start = System.nanoTime();
        deadline = start + nanos;
        done = latch;
        near.forEach(Session::send);
        latch.await();
        long elapsed = System.nanoTime() - start;
        long answers = answers() - before;
        return Sample.ofStream(answers, answers * size, elapsed);
    }

    /** Called when no message is in flight. */
    private long answers() {
        long sum = 0;
        for (Session session : near) {
            sum += session.answers;
        }
        return sum;
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
