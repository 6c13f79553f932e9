package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Ids of several contexts that listen on one port")
class ListenWithTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int LENGTH = 8;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final RnicProvider PROVIDER = new RnicProvider();

    private static Context open(Progress progress) {
        return PROVIDER.rnic().open(progress, Patience.OF_CONNECTIONS);
    }

    private static void await(String what, BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(what).isLessThan(Patience.NANOS);
            Thread.onSpinWait();
        }
    }

    private static void assertRefused(RdmaErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(code));
    }

    /** A server, driven by a thread of its own after start. */
    private static final class Server extends EchoHandlers implements AutoCloseable {
        final CmId id;
        private volatile @Nullable Thread thread;
        private volatile boolean stopped;

        /** @param other the id to listen with; null for a port of its own */
        Server(@Nullable CmId other, int backlog, Map<String, String> settings) {
            super(PROVIDER.rnic().open(Progress.INLINE, Patience.with(Patience.OF_CONNECTIONS, settings)));
            id = context.createId(events);
            if (other == null) {
                id.bind(ANY_PORT);
                id.listen(backlog);
            } else {
                id.listenWith(other, backlog);
            }
        }

        Server(@Nullable CmId other) {
            this(other, 0, Map.of());
        }

        Server start() {
            Thread made = new Thread(
                    () -> {
                        while (!stopped) {
                            context.await(FOR_EVER);
                        }
                    },
                    "server");
            thread = made;
            made.start();
            return this;
        }

        InetSocketAddress address() {
            return Objects.requireNonNull(id.localAddress());
        }

        /** {@return the number of its connections, including those that wait for it} */
        int connections() {
            AtomicInteger used = new AtomicInteger();
            ((RnicContext) context)
                    .limits((name, now, high, limit) -> used.addAndGet(name.equals("tcp-connections") ? (int) now : 0));
            return used.get();
        }

        @Override
        public void close() {
            stopped = true;
            context.wakeup();
            Thread running = thread;
            if (running != null) {
                try {
                    running.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            context.close();
        }
    }

    /** A connection in a threaded context that records its end. */
    private static final class Client {
        private final Context context;
        private final MemoryRegion memory;
        private final CompletionQueue queue;
        private final CmId id;
        private final QueuePair pair;

        Client(Context context, InetSocketAddress to) {
            this.context = context;
            ProtectionDomain domain = this.context.allocateProtectionDomain();
            memory = domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
            queue = EchoHandlers.queue(context);
            id = context.createId();
            id.resolveAddress(null, to);
            pair = id.createQueuePair(domain, EchoHandlers.small(queue));
            pair.postReceive(new ReceiveWorkRequest().add(memory, 0, LENGTH));
            id.connect();
        }

        boolean echo() {
            return echo(Patience.LIMIT);
        }

        /** {@return whether the answer to a message came} */
        boolean echo(Duration patience) {
            WorkCompletion[] one = WorkCompletion.array(1);
            pair.postSend(new SendWorkRequest().signaled(false).add(memory, 0, LENGTH));
            assertThat(queue.await(one, patience))
                    .as("an answer, or the end of the connection")
                    .isEqualTo(1);
            if (one[0].succeeded()) {
                pair.postReceive(new ReceiveWorkRequest().add(memory, 0, LENGTH));
            }
            return one[0].succeeded();
        }
    }

    private static int accepted(List<Server> servers) {
        return servers.stream().mapToInt(server -> server.accepted.get()).sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"block", "select", "spin"})
    @DisplayName("share the connections equally, and each connection stays on one thread")
    void divided(String wait) {
        Map<String, String> settings = Map.of("jwarp.progress.wait", wait);
        try (Server first = new Server(null, 0, settings).start();
                Server second = new Server(first.id, 0, settings).start();
                Server third = new Server(second.id, 0, settings).start();
                Context clients = open(Progress.THREADED)) {
            assertThat(third.address()).isEqualTo(first.address());
            for (int i = 0; i < 30; i++) {
                assertThat(new Client(clients, first.address()).echo()).isTrue();
            }
            for (Server server : List.of(first, second, third)) {
                assertThat(server.accepted.get()).isEqualTo(10);
                assertThat(server.threads).containsOnly(Objects.requireNonNull(server.thread));
            }
        }
    }

    @Test
    @DisplayName("get the connections that the program's function chooses, on the thread that owns the port")
    void chosen() {
        List<@Nullable Thread> askers = new ArrayList<>();
        try (Server first = new Server(null).start();
                Server second = new Server(first.id).start();
                Context clients = open(Progress.THREADED)) {
            first.id.choosing(peer -> {
                askers.add(Thread.currentThread());
                return second.id;
            });
            for (int i = 0; i < 6; i++) {
                assertThat(new Client(clients, first.address()).echo()).isTrue();
            }
            assertThat(List.of(first.accepted.get(), second.accepted.get())).containsExactly(0, 6);
            assertThat(askers).hasSize(6).containsOnly(first.thread);
            first.id.choosing(peer -> null);
            for (int i = 0; i < 3; i++) {
                assertThat(new Client(clients, first.address()).echo()).isTrue();
            }
            assertThat(first.accepted.get()).isEqualTo(3);
            assertRefused(RdmaErrorCode.NOT_SUPPORTED, () -> second.id.choosing(peer -> null));
            CmId none = second.context.createId(second.events);
            assertRefused(RdmaErrorCode.WRONG_STATE, () -> none.choosing(peer -> null));
        }
    }

    @Test
    @DisplayName("give a connection to the context with the fewest")
    void leastLoaded() {
        try (Server first = new Server(null).start();
                Server second = new Server(first.id).start();
                Context clients = open(Progress.THREADED)) {
            for (int i = 0; i < 8; i++) {
                assertThat(new Client(clients, first.address()).echo()).isTrue();
            }
            assertThat(List.of(first.accepted.get(), second.accepted.get())).containsExactly(4, 4);

            try (Server late = new Server(first.id).start()) {
                for (int i = 0; i < 4; i++) {
                    assertThat(new Client(clients, first.address()).echo()).isTrue();
                }
                assertThat(late.accepted.get()).isEqualTo(4);
                assertThat(accepted(List.of(first, second))).isEqualTo(8);
            }
        }
    }

    @Test
    @DisplayName("wake a thread that waits in a blocking read of its only connection")
    void blockingRead() throws Exception {
        try (Server first = new Server(null).start();
                Server elsewhere = new Server(null).start();
                Context clients = open(Progress.THREADED)) {
            CompletableFuture<Context> listens = new CompletableFuture<>();
            CompletableFuture<Void> all = CompletableFuture.runAsync(
                    () -> {
                        try (Server guest = new Server(first.id, 0, Map.of("jwarp.progress.wait", "block"))) {
                            Client own = new Client(guest.context, elsewhere.address());
                            for (int i = 0; i < 10; i++) {
                                assertThat(own.echo(FOR_EVER)).isTrue();
                            }
                            listens.complete(guest.context);
                            while (guest.accepted.get() == 0) {
                                guest.context.await(FOR_EVER);
                            }
                        }
                    },
                    OwnThread.EACH);
            CompletableFuture.anyOf(listens, all).get(Patience.SECONDS, TimeUnit.SECONDS);
            for (int i = 0; i < 4; i++) { // some of them go to the second server, which has one connection already
                OwnThread.EACH.execute(() -> {
                    try {
                        assertThat(new Client(clients, first.address()).echo()).isTrue();
                    } catch (RdmaException | AssertionError ended) {
                        // the server closes as soon as it has a connection
                    }
                });
            }
            all.get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    @DisplayName("keep the connections of a stuck context in its backlog; its close passes them to the others")
    void stuck() {
        try (Server first = new Server(null).start();
                Context clients = open(Progress.THREADED)) {
            Server stuck = new Server(first.id, 2, Map.of()); // no thread polls it
            List<CompletableFuture<Client>> connecting = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                connecting.add(
                        CompletableFuture.supplyAsync(() -> new Client(clients, first.address()), OwnThread.EACH));
            }
            await("all but those that wait", () -> first.accepted.get() == 8);
            await(
                    "those have their connections",
                    () -> connecting.stream().filter(CompletableFuture::isDone).count() == 8);
            assertThat(stuck.accepted.get()).isZero();

            stuck.close();
            connecting.forEach(one -> assertThat(one.join().echo()).isTrue());
            assertThat(first.accepted.get()).isEqualTo(10);
        }
    }

    @Test
    @DisplayName("close the port with its owner; connections of the others continue")
    void closedFirst() {
        Server first = new Server(null).start();
        InetSocketAddress address = first.address();
        try (Server second = new Server(first.id).start();
                Context clients = open(Progress.THREADED)) {
            Client one = new Client(clients, address);
            Client two = new Client(clients, address);
            first.close();
            assertThat(List.of(one.echo(), two.echo())).containsExactlyInAnyOrder(true, false);
            assertRefused(RdmaErrorCode.CONNECTION_REFUSED, () -> new Client(clients, address));
            assertThat(second.accepted.get()).isEqualTo(1);
            second.id.close();
        }
    }

    @Test
    @DisplayName("reset the waiting connections of the last id when it closes")
    void none() {
        Server first = new Server(null).start();
        try (Context clients = open(Progress.THREADED)) {
            Server stuck = new Server(first.id); // no thread polls it
            InetSocketAddress address = first.address();
            List<CompletableFuture<Client>> both = Stream.generate(
                            () -> CompletableFuture.supplyAsync(() -> new Client(clients, address), OwnThread.EACH))
                    .limit(2)
                    .toList();
            await("one has got through", () -> both.stream().anyMatch(CompletableFuture::isDone));
            await("the other one waits", () -> stuck.connections() == 1);
            CompletableFuture<Client> waiting = both.get(both.get(0).isDone() ? 1 : 0);
            first.close();
            assertThat(waiting).isNotDone();
            stuck.close();
            assertThatThrownBy(waiting::join)
                    .hasCauseInstanceOf(RdmaException.class)
                    .satisfies(e -> assertThat(((RdmaException) Objects.requireNonNull(e.getCause())).code())
                            .isEqualTo(RdmaErrorCode.CLOSED_BY_PEER));
        }
    }

    @Test
    @DisplayName(
            "serve every client while contexts without a thread come and go: their waiting connections go to the others")
    void heldGoesOn() throws Exception {
        int callers = 4;
        int guests = 20;
        int more = 2 * callers; // for each additional server, which holds two of them
        int connections = guests * more;
        try (Server first = new Server(null).start();
                Context clients = open(Progress.THREADED)) {
            AtomicInteger left = new AtomicInteger(connections);
            Semaphore allowed = new Semaphore(0);
            CompletableFuture<Void> all = run(callers, () -> {
                while (left.getAndDecrement() > 0) {
                    allowed.acquireUninterruptibly();
                    assertThat(new Client(clients, first.address()).echo()).isTrue(); // stays connected
                }
            });
            allowed.release(more);
            await("those are the first's", () -> first.accepted.get() == more);
            for (int i = 1; i < guests; i++) {
                Server guest = new Server(first.id, 2, Map.of()); // has no connections, so it gets the next one
                allowed.release(more);
                await("it holds two", () -> guest.connections() == 2 || all.isDone());
                guest.close();
                assertThat(guest.accepted.get()).isZero();
            }
            all.get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(first.accepted.get()).isEqualTo(connections);
        }
    }

    private static CompletableFuture<Void> run(int threads, Runnable what) {
        return CompletableFuture.allOf(IntStream.range(0, threads)
                .mapToObj(i -> CompletableFuture.runAsync(what, OwnThread.EACH))
                .toArray(CompletableFuture[]::new));
    }

    @Test
    @DisplayName(
            "lose no connection silently while contexts with a thread come and go: each client is served, or notified")
    void torture() throws Exception {
        int connections = 200;
        try (Server first = new Server(null).start();
                Context clients = open(Progress.THREADED)) {
            AtomicInteger left = new AtomicInteger(connections);
            AtomicInteger served = new AtomicInteger();
            AtomicInteger told = new AtomicInteger();
            @Nullable Server guest = new Server(first.id, 2, Map.of()).start(); // before the first client
            CompletableFuture<Void> all = run(4, () -> {
                while (left.getAndDecrement() > 0) {
                    boolean answered = false;
                    try {
                        Client client = new Client(clients, first.address());
                        answered = client.echo();
                        client.id.close();
                    } catch (RdmaException e) {
                        assertThat(e.code()).isNotEqualTo(RdmaErrorCode.TIMED_OUT);
                    }
                    (answered ? served : told).incrementAndGet();
                }
            });
            int guests = 0;
            int byGuests = 0;
            while (guest != null) {
                try (Server one = guest) {
                    guests++;
                    await("one has come to it", () -> all.isDone() || one.accepted.get() > 0);
                    byGuests += one.accepted.get();
                }
                guest = all.isDone() ? null : new Server(first.id, 2, Map.of()).start();
            }
            all.get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(served.get() + told.get()).isEqualTo(connections);
            assertThat(byGuests).isPositive();
            assertThat(first.accepted.get()).isPositive();
            assertThat(told.get()).isLessThanOrEqualTo(4 * guests); // only those in progress when a server closed
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("reject no connection because one context is at its limit")
    void atLimit(boolean firstIsFull) {
        Map<String, String> few = Map.of("jwarp.tcp.max-connections", "2", "jwarp.tcp.max-connections-per-source", "2");
        try (Server first = new Server(null, 0, firstIsFull ? few : Map.of()).start();
                Server second = new Server(first.id, 0, firstIsFull ? Map.of() : few).start();
                Context clients = open(Progress.THREADED)) {
            for (int i = 0; i < 12; i++) {
                assertThat(new Client(clients, first.address()).echo()).isTrue();
            }
            assertThat((firstIsFull ? first : second).accepted.get()).isEqualTo(2);
            assertThat((firstIsFull ? second : first).accepted.get()).isEqualTo(10);
        }
    }

    @Test
    @DisplayName("cannot be joined once the owner of the port is closed, though the others are still listening")
    void joinedTooLate() {
        try (Context one = open(Progress.INLINE);
                Context two = open(Progress.INLINE)) {
            CmId first = one.createId(one.createEventChannel());
            first.bind(ANY_PORT);
            first.listen(0);
            CmId second = two.createId(two.createEventChannel());
            second.listenWith(first, 0);
            CmId third = one.createId(one.createEventChannel());
            third.listenWith(second, 0); // shares the port of the first
            first.close();
            CmId late = two.createId(two.createEventChannel());
            for (CmId there : List.of(second, third)) {
                assertThatThrownBy(() -> late.listenWith(there, 0))
                        .hasMessageContaining("the id that opened that port")
                        .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(RdmaErrorCode.WRONG_STATE));
            }
            late.bind(ANY_PORT); // the id is unchanged
            late.listen(0);
        }
    }

    @Test
    @DisplayName("need inline progress, and a listening id to join")
    void refusals() {
        try (Context threaded = open(Progress.THREADED);
                Context inline = open(Progress.INLINE)) {
            CmId away = threaded.createId(threaded.createEventChannel());
            away.bind(ANY_PORT);
            away.listen(0);
            CmId own = inline.createId(inline.createEventChannel());
            assertRefused(RdmaErrorCode.NOT_SUPPORTED, () -> own.listenWith(away, 0));
            CmId idle = inline.createId(inline.createEventChannel());
            assertRefused(RdmaErrorCode.WRONG_STATE, () -> own.listenWith(idle, 0));
            assertRefused(RdmaErrorCode.WRONG_STATE, () -> own.listenWith(own, 0));
            own.bind(ANY_PORT);
            own.listen(0);
            assertRefused(RdmaErrorCode.WRONG_STATE, () -> own.listenWith(own, 0));
            assertRefused(RdmaErrorCode.NOT_SUPPORTED, () -> threaded.createId().listenWith(own, 0));
            idle.listenWith(own, 0); // works within one context, too
            idle.close();
            own.close();
            assertRefused(RdmaErrorCode.WRONG_STATE, () -> inline.createId().listenWith(own, 0));
        }
    }
}
