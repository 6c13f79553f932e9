package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Handlers of completions and events")
class HandlersTest {
    private static final Duration LONG = Patience.LIMIT;

    private static RdmaErrorCode codeOf(Throwable thrown) {
        return ((RdmaException) thrown).code();
    }

    private static void assertRefused(Runnable call) {
        assertThatThrownBy(call::run).satisfies(e -> assertThat(codeOf(e)).isEqualTo(RdmaErrorCode.WRONG_STATE));
    }

    private static boolean received(WorkCompletion completion) {
        return completion.succeeded() && completion.opcode() == WorkCompletionOpcode.RECV;
    }

    /** The arguments of a handler's calls as text, and whether calls ever overlapped. */
    private static final class Heard {
        final Queue<String> completions = new ConcurrentLinkedQueue<>();
        final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        final AtomicInteger calls = new AtomicInteger();
        final CompletionQueue queue;
        private final AtomicInteger within = new AtomicInteger();
        private volatile boolean nested;

        Heard(Context context) {
            this(context, completion -> {});
        }

        Heard(Context context, java.util.function.Consumer<WorkCompletion> answer) {
            queue = context.createCompletionQueue(256);
            queue.onCompletion((from, completions, count) -> {
                nested |= within.getAndIncrement() != 0;
                calls.incrementAndGet();
                threads.add(Thread.currentThread());
                assertThat(from).isSameAs(queue);
                try {
                    for (int i = 0; i < count; i++) {
                        WorkCompletion completion = completions[i];
                        this.completions.add(completion.opcode() + " " + completion.id() + " " + completion.status());
                        answer.accept(completion);
                    }
                } finally {
                    within.decrementAndGet();
                }
            });
        }

        boolean has(int count) {
            return completions.size() >= count;
        }

        void neverNested() {
            assertThat(nested).as("one call at a time").isFalse();
        }
    }

    @EachWorld
    @DisplayName("exchange messages in order without polling threads")
    void echo(World.Kind kind) {
        try (World world = World.of(kind)) {
            AtomicReference<@Nullable Connected> pair = new AtomicReference<>();
            int rounds = 50;
            AtomicInteger left = new AtomicInteger(rounds);
            Heard server = new Heard(world.listening(), completion -> {
                if (received(completion)) {
                    Endpoint own = Objects.requireNonNull(pair.get()).passive;
                    own.receive(completion.id() + 1, 0, 8);
                    own.send(completion.id(), 0, 8);
                }
            });
            Heard client = new Heard(world.connecting(), completion -> {
                if (received(completion) && left.decrementAndGet() > 0) {
                    Endpoint own = Objects.requireNonNull(pair.get()).active;
                    own.receive(completion.id() + 1, 0, 8);
                    own.send(completion.id() + 1, 0, 8);
                }
            });
            Connected made = Connected.reporting(world, client.queue, server.queue);
            pair.set(made);
            made.passive.receive(0, 0, 8);
            made.active.receive(0, 0, 8);
            made.active.send(0, 0, 8);
            world.until("all answers", () -> client.has(2 * rounds) && server.has(2 * rounds));

            assertThat(client.completions.stream().filter(line -> line.startsWith("RECV")))
                    .containsExactlyElementsOf(java.util.stream.IntStream.range(0, rounds)
                            .mapToObj(i -> "RECV " + i + " SUCCESS")
                            .toList());
            client.neverNested();
            server.neverNested();
            if (kind == World.Kind.THREADED) {
                assertThat(server.threads).allMatch(thread -> thread.getName().startsWith("jwarp-io"));
            } else {
                assertThat(server.threads).allMatch(thread -> thread == Thread.currentThread());
            }
        }
    }

    @Test
    @DisplayName("are not called by a flush, which sends but processes no input")
    void flush() {
        try (World world = World.of(World.Kind.INLINE)) {
            Heard server = new Heard(world.listening());
            Heard client = new Heard(world.connecting());
            Connected pair = Connected.reporting(world, client.queue, server.queue);
            pair.passive.receive(1, 0, 8);
            pair.active.receive(2, 0, 8);
            pair.active.send(3, 0, 8);
            assertThat(world.connecting().flush()).isTrue();
            await().pollInSameThread().until(() -> {
                world.listening().poll();
                return heard(server, "RECV 1 SUCCESS");
            });

            pair.passive.send(4, 0, 8);
            assertThat(world.listening().flush()).isTrue();
            for (int i = 0; i < 100; i++) {
                world.connecting().flush();
            }
            assertThat(heard(client, "RECV 2 SUCCESS")).isFalse();
            await().pollInSameThread().until(() -> {
                world.connecting().poll();
                return heard(client, "RECV 2 SUCCESS");
            });
        }
    }

    private static boolean heard(Heard side, String line) {
        return side.completions.contains(line);
    }

    @EachWorld
    @DisplayName("get many completions in one call if many arrived at once")
    void batches(World.Kind kind) {
        try (World world = World.of(kind)) {
            Heard server = new Heard(world.listening());
            Heard client = new Heard(world.connecting());
            Connected pair = Connected.reporting(world, client.queue, server.queue);
            int count = 100; // more than one call gets
            SendWorkRequest[] sends = new SendWorkRequest[count];
            for (int i = 0; i < count; i++) {
                pair.passive.receive(i, 0, 8);
                sends[i] = new SendWorkRequest().id(i).add(pair.active.memory, 0, 8);
            }
            assertThat(pair.active.queuePair.postSend(sends, count)).isEqualTo(count);
            world.until("all", () -> server.has(count) && client.has(count));
            if (kind != World.Kind.SIMULATED) { // simulated segments may be shorter than one message
                assertThat(server.calls.get()).isLessThan(count);
            }
        }
    }

    @EachWorld
    @DisplayName("take the place of polling")
    void notPolled(World.Kind kind) {
        try (World world = World.of(kind)) {
            Context context = world.listening();
            CompletionQueue queue = new Heard(context).queue;
            WorkCompletion[] one = WorkCompletion.array(1);
            assertRefused(() -> queue.poll(one));
            assertRefused(() -> queue.await(one, Duration.ZERO));
            assertRefused(() -> queue.onCompletion((from, completions, count) -> {}));
            CompletionQueue used = context.createCompletionQueue(16);
            CmId id = context.createId();
            id.createQueuePair(
                    context.allocateProtectionDomain(),
                    QueuePairAttributes.builder(used).build());
            assertRefused(() -> used.onCompletion((from, completions, count) -> {}));
            CompletionQueue notified = context.createCompletionQueue(16, context.createCompletionChannel());
            assertRefused(() -> notified.onCompletion((from, completions, count) -> {}));

            CmEventChannel channel = context.createEventChannel();
            channel.onEvent(event -> {});
            assertRefused(channel::poll);
            assertRefused(() -> channel.await(Duration.ZERO));
            assertRefused(() -> channel.onEvent(event -> {}));
            context.onAsyncEvent(event -> {});
            assertRefused(context::pollAsyncEvent);
            assertRefused(() -> context.awaitAsyncEvent(Duration.ZERO));
            assertRefused(() -> context.onAsyncEvent(event -> {}));
        }
    }

    @EachWorld
    @DisplayName("that throw end the connections of their completions, and no others")
    void throwing(World.Kind kind) {
        try (World world = World.of(kind)) {
            Queue<AsyncEvent> told = new ConcurrentLinkedQueue<>();
            world.listening().onAsyncEvent(told::add);
            Heard server = new Heard(world.listening(), completion -> {
                if (completion.id() == 13 && completion.succeeded()) {
                    throw new IllegalStateException("unlucky");
                }
            });
            Connected bad = Connected.reporting(world, new Heard(world.connecting()).queue, server.queue);
            Connected good = Connected.reporting(world, new Heard(world.connecting()).queue, server.queue);
            bad.passive.receive(13, 0, 8);
            bad.passive.receive(14, 0, 8);
            good.passive.receive(1, 0, 8);
            bad.active.send(1, 0, 8);
            world.until("both come back", () -> server.has(2));
            world.until("an async event", () -> !told.isEmpty());
            AsyncEvent event = Objects.requireNonNull(told.peek());
            assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
            assertThat(event.element()).isSameAs(bad.passive.queuePair);
            assertThat(event.sentence()).contains("the completion handler of", "unlucky");
            assertThat(server.completions).containsExactly("RECV 13 SUCCESS", "RECV 14 WR_FLUSH_ERR");

            good.active.send(2, 0, 8);
            world.until("the other one works", () -> server.has(3));
            assertThat(good.passive.queuePair.state()).isEqualTo(QueuePairState.RTS);
        }
    }

    @EachWorld
    @DisplayName("get flushed completions, but not within the call that flushes")
    void flushed(World.Kind kind) {
        try (World world = World.of(kind)) {
            Heard server = new Heard(world.listening());
            CmId id = world.listening().createId();
            ProtectionDomain domain = world.listening().allocateProtectionDomain();
            MemoryRegion memory = domain.allocate(64, AccessFlag.LOCAL_WRITE);
            QueuePair pair = id.createQueuePair(
                    domain, QueuePairAttributes.builder(server.queue).build());
            pair.postReceive(new ReceiveWorkRequest().id(1).add(memory, 0, 8));
            pair.postReceive(new ReceiveWorkRequest().id(2).add(memory, 0, 8));
            pair.modify(QueuePairState.ERR);
            if (kind != World.Kind.THREADED) {
                assertThat(server.completions).isEmpty();
            }
            world.until("both", () -> server.has(2));
            assertThat(server.completions).containsExactly("RECV 1 WR_FLUSH_ERR", "RECV 2 WR_FLUSH_ERR");
            assertThat(server.threads)
                    .allMatch(thread -> (thread == Thread.currentThread()) == (kind != World.Kind.THREADED));
        }
    }

    @EachWorld
    @DisplayName("that repost every flushed request do not block other work")
    void endless(World.Kind kind) {
        try (World world = World.of(kind)) {
            AtomicReference<@Nullable Endpoint> own = new AtomicReference<>();
            AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
            CompletionQueue careless = world.listening().createCompletionQueue(256);
            careless.onCompletion((from, completions, count) -> {
                for (int i = 0; i < count && left.decrementAndGet() > 0; i++) {
                    Objects.requireNonNull(own.get()).receive(1, 0, 8);
                }
            });
            Heard other = new Heard(world.listening());
            Connected failed = Connected.reporting(world, new Heard(world.connecting()).queue, careless);
            Connected good = Connected.reporting(world, new Heard(world.connecting()).queue, other.queue);
            own.set(failed.passive);
            good.passive.receive(7, 0, 8);
            failed.passive.receive(0, 0, 8);
            failed.passive.queuePair.modify(QueuePairState.ERR);
            world.until("it has begun", () -> left.get() < Integer.MAX_VALUE - 10);
            good.active.send(1, 0, 8);
            world.until("the other one gets its message", () -> other.has(1));
            assertThat(left.get()).isPositive();
            left.set(0);
        }
    }

    @EachWorld
    @DisplayName("get all outstanding completions before the context is closed")
    void contextClosed(World.Kind kind) {
        Heard server;
        try (World world = World.of(kind)) {
            server = new Heard(world.listening());
            Connected pair = Connected.reporting(world, new Heard(world.connecting()).queue, server.queue);
            pair.passive.receive(1, 0, 8);
            pair.passive.receive(2, 0, 8);
            QueuePair neverConnected = world.listening()
                    .createId()
                    .createQueuePair(
                            pair.passive.domain,
                            QueuePairAttributes.builder(server.queue).build());
            neverConnected.postReceive(new ReceiveWorkRequest().id(3).add(pair.passive.memory, 0, 8));
        }
        assertThat(server.completions)
                .containsExactlyInAnyOrder("RECV 1 WR_FLUSH_ERR", "RECV 2 WR_FLUSH_ERR", "RECV 3 WR_FLUSH_ERR");
    }

    @EachWorld
    @DisplayName("must not wait: a call that would wait throws and changes nothing")
    void mayNotWait(World.Kind kind) {
        try (World world = World.of(kind)) {
            AtomicReference<@Nullable Connected> pair = new AtomicReference<>();
            Queue<RdmaErrorCode> refused = new ConcurrentLinkedQueue<>();
            Heard server = new Heard(world.listening(), completion -> {
                if (!completion.succeeded()) {
                    return;
                }
                Endpoint own = Objects.requireNonNull(pair.get()).passive;
                for (Runnable call : List.<Runnable>of(
                        own.queuePair::close,
                        own.id::close,
                        own.context::close,
                        () -> own.context.await(Duration.ZERO),
                        () -> own.context.awaitAsyncEvent(LONG),
                        () -> own.events.await(LONG))) {
                    try {
                        call.run();
                    } catch (RdmaException e) {
                        refused.add(e.code());
                    }
                }
            });
            Connected made = Connected.reporting(world, new Heard(world.connecting()).queue, server.queue);
            pair.set(made);
            made.passive.receive(1, 0, 8);
            made.passive.receive(2, 0, 8);
            made.active.send(1, 0, 8);
            world.until("all calls", () -> refused.size() >= 6);
            assertThat(refused).hasSize(6).containsOnly(RdmaErrorCode.WRONG_STATE);
            made.active.send(2, 0, 8);
            world.until("it works as before", () -> server.has(2));
        }
    }

    /**
     * A service that consists of handlers only: it answers each message, and closes its objects when the peer
     * disconnects.
     */
    private static final class Service {
        final Queue<String> events = new ConcurrentLinkedQueue<>();
        final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        final AtomicInteger answered = new AtomicInteger();
        final CmId listener;
        private final ProtectionDomain domain;
        private final CompletionQueue queue;

        Service(World world) {
            Context context = world.listening();
            domain = context.allocateProtectionDomain();
            queue = context.createCompletionQueue(256);
            queue.onCompletion(this::completed);
            CmEventChannel channel = context.createEventChannel();
            channel.onEvent(this::happened);
            listener = context.createId(channel);
            listener.bind(world.address(0));
            listener.listen(0);
        }

        private void happened(CmEvent event) {
            try {
                events.add(event.type().name());
                CmId id = Objects.requireNonNull(event.id());
                if (event.type() == CmEventType.CONNECT_REQUEST) {
                    QueuePair pair = id.createQueuePair(
                            domain, QueuePairAttributes.builder(queue).build());
                    MemoryRegion memory = domain.allocate(64, AccessFlag.LOCAL_WRITE);
                    pair.attach(memory);
                    pair.postReceive(new ReceiveWorkRequest().add(memory, 0, 64));
                    id.accept(ConnectionParameters.DEFAULT);
                } else if (event.type() == CmEventType.DISCONNECTED) {
                    MemoryRegion memory = (MemoryRegion) Objects.requireNonNull(
                            Objects.requireNonNull(id.queuePair()).attachment());
                    id.close();
                    memory.close();
                    events.add("closed");
                }
            } catch (Throwable e) {
                failures.add(e);
            }
        }

        private void completed(CompletionQueue from, WorkCompletion[] completions, int count) {
            for (int i = 0; i < count; i++) {
                WorkCompletion completion = completions[i];
                QueuePair pair = completion.queuePair();
                if (received(completion) && pair != null) {
                    MemoryRegion memory = (MemoryRegion) Objects.requireNonNull(pair.attachment());
                    pair.postReceive(new ReceiveWorkRequest().add(memory, 0, 64));
                    pair.postSend(new SendWorkRequest().add(memory, 0, completion.byteLength()));
                    answered.incrementAndGet();
                }
            }
        }
    }

    @EachWorld
    @DisplayName("are enough for a complete service, from the request to the close")
    void service(World.Kind kind) {
        try (World world = World.of(kind)) {
            Service service = new Service(world);
            Endpoint client = Connected.endpoint(world, world.connecting());
            client.receive(1, 0, 64);
            client.id.resolveAddress(null, Objects.requireNonNull(service.listener.localAddress()));
            client.event(CmEventType.ADDR_RESOLVED);
            client.id.connect(ConnectionParameters.DEFAULT);
            client.event(CmEventType.ESTABLISHED);
            client.write(0, "hello").send(2, 0, 5);
            client.next(2)
                    .forEach(completion -> assertThat(completion.status())
                            .as(completion::describe)
                            .isEqualTo(WorkCompletionStatus.SUCCESS));
            client.id.disconnect();
            client.event(CmEventType.DISCONNECTED);
            world.until("the service has closed", () -> service.events.contains("closed"));
            assertThat(service.failures).isEmpty();
            assertThat(service.answered.get()).isEqualTo(1);
            assertThat(service.events).containsExactly("CONNECT_REQUEST", "ESTABLISHED", "DISCONNECTED", "closed");
        }
    }

    @EachWorld
    @DisplayName("of events that throw at a connection request reject it")
    void throwingAtRequest(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmEventChannel channel = world.listening().createEventChannel();
            channel.onEvent(event -> {
                throw new IllegalStateException("no");
            });
            CmId listener = world.listening().createId(channel);
            listener.bind(world.address(0));
            listener.listen(0);
            Endpoint client = Connected.endpoint(world, world.connecting());
            client.id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
            client.event(CmEventType.ADDR_RESOLVED);
            client.id.connect(ConnectionParameters.DEFAULT);
            client.event(CmEventType.REJECTED);
            listener.close();
            world.until("the request is closed, and does not use the channel any more", () -> {
                try {
                    channel.close();
                    return true;
                } catch (RdmaException e) {
                    assertThat(e.code()).isEqualTo(RdmaErrorCode.RESOURCE_BUSY);
                    return false;
                }
            });
        }
    }

    @EachDatagramWorld
    @DisplayName("work with datagrams, too, and their exceptions stop the queue pair")
    void datagrams(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Queue<AsyncEvent> told = new ConcurrentLinkedQueue<>();
            AtomicReference<@Nullable DatagramSide> own = new AtomicReference<>();
            Heard server = new Heard(world.context(1), completion -> {
                if (completion.id() == 13 && completion.succeeded()) {
                    throw new IllegalStateException("unlucky");
                } else if (completion.succeeded()
                        && completion.opcode().toString().equals("RECV")) {
                    DatagramSide side = Objects.requireNonNull(own.get());
                    side.receive(13, 0, 64);
                }
            });
            DatagramSide receiver = DatagramSide.reporting(world, 1, server.queue);
            own.set(receiver);
            DatagramSide sender = DatagramSide.on(world, 0);
            receiver.context.onAsyncEvent(told::add);
            receiver.receive(1, 0, 64);
            sender.send(1, sender.to(receiver), 0, 8);
            sender.success();
            world.until("the first", () -> server.has(1));
            sender.writeRecord(2, sender.to(receiver), receiver, 0, 100);
            sender.success();
            world.until("the record", () -> server.has(2));
            sender.send(3, sender.to(receiver), 0, 8);
            sender.success();
            world.until("an async event", () -> !told.isEmpty());
            assertThat(server.completions)
                    .startsWith("RECV 1 SUCCESS", "RECV_WRITE_RECORD 0 SUCCESS", "RECV 13 SUCCESS");
            AsyncEvent event = Objects.requireNonNull(told.peek());
            assertThat(event.type()).isEqualTo(AsyncEventType.QP_FATAL);
            assertThat(event.element()).isSameAs(receiver.queuePair);
            assertThat(event.sentence()).contains("unlucky");
            assertThat(receiver.queuePair.state()).isEqualTo(QueuePairState.ERR);
            server.neverNested();
        }
    }

    @EachWorld
    @DisplayName("are not called within a call of the program, nor under its locks")
    void notWithin(World.Kind kind) throws Exception {
        try (World world = World.of(kind, Map.of("jwarp.tcp.event-loops", "1"))) {
            Heard server = new Heard(world.listening());
            Connected pair = Connected.reporting(world, new Heard(world.connecting()).queue, server.queue);
            pair.passive.receive(1, 0, 8);
            CmEventChannel channel = world.listening().createEventChannel();
            AtomicInteger within = new AtomicInteger(-1);
            channel.onEvent(event -> {
                pair.passive.queuePair.modify(QueuePairState.ERR); // the owner of this connection is the same thread
                within.set(server.completions.size());
            });
            world.listening().createId(channel).resolveAddress(null, world.address(9));
            world.until("the handler was called", () -> within.get() >= 0);
            assertThat(within.get()).as("completions within modify").isZero();
            world.until("it comes after that", () -> server.has(1));
        }
    }

    @EachWorld
    @DisplayName("that throw an exception whose message throws stop nothing else")
    void throwingTwice(World.Kind kind) {
        try (World world = World.of(kind)) {
            Heard server = new Heard(world.listening(), completion -> {
                if (completion.id() == 13 && completion.succeeded()) {
                    throw new IllegalStateException() {
                        @Override
                        public String getMessage() {
                            throw new IllegalArgumentException("no message");
                        }
                    };
                }
            });
            Connected pair = Connected.reporting(world, new Heard(world.connecting()).queue, server.queue);
            pair.passive.receive(13, 0, 8);
            pair.passive.receive(14, 0, 8);
            pair.active.send(1, 0, 8);
            world.until("the first", () -> server.has(1));
            pair.active.send(2, 0, 8);
            world.until("the next one is handed over all the same", () -> server.has(2));
        }
    }

    @EachWorld
    @DisplayName("cannot make calls of synchronous ids that would wait; these change nothing")
    void synchronousIds(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmId id = world.listening().createId();
            id.bind(world.address(0));
            id.listen(0);
            CmId client = world.listening().createId();
            client.resolveAddress(null, Objects.requireNonNull(id.localAddress()));
            client.createQueuePair(
                    world.listening().allocateProtectionDomain(),
                    QueuePairAttributes.builder(new Heard(world.listening()).queue)
                            .build());
            AtomicReference<@Nullable RdmaException> thrown = new AtomicReference<>();
            CmEventChannel channel = world.listening().createEventChannel();
            channel.onEvent(event -> {
                try {
                    client.connect(ConnectionParameters.DEFAULT);
                } catch (RdmaException e) {
                    thrown.set(e);
                }
            });
            world.listening().createId(channel).resolveAddress(null, world.address(9));
            world.until("the handler was called", () -> thrown.get() != null);
            assertThat(Objects.requireNonNull(thrown.get()).code()).isEqualTo(RdmaErrorCode.WRONG_STATE);
            assertThat(Objects.requireNonNull(client.queuePair()).state()).isEqualTo(QueuePairState.INIT);
        }
    }

    @Test
    @DisplayName("are driven by a thread in await of the context, which another thread can wake")
    void drive() {
        try (World world = World.of(World.Kind.INLINE)) {
            Context context = world.listening();
            context.wakeup();
            context.await(LONG); // returns at once
            long start = System.nanoTime();
            context.await(Duration.ofMillis(5));
            assertThat(System.nanoTime() - start)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(4).toNanos());

            Heard server = new Heard(context);
            Connected pair = Connected.reporting(world, new Heard(context).queue, server.queue);
            pair.passive.receive(1, 0, 8);
            pair.active.send(1, 0, 8);
            while (!server.has(1)) {
                context.await(LONG);
            }
            assertThat(server.completions).containsExactly("RECV 1 SUCCESS");
        }
        try (World world = World.of(World.Kind.THREADED)) {
            assertThat(world.listening().progress()).isEqualTo(Progress.THREADED);
            assertRefused(() -> world.listening().await(LONG));
        }
    }
}
