package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.EventLoops;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("On event loops of the program")
class ProgramLoopsTest {
    private static final int LENGTH = EchoHandlers.LENGTH;

    private final RnicProvider provider = new RnicProvider();

    /** Event loops of the program, which are shut down after the contexts on them. */
    private static final class Loops implements AutoCloseable {
        final EventLoopGroup group;

        Loops(boolean epoll, int threads) {
            group = new MultiThreadIoEventLoopGroup(
                    threads,
                    new DefaultThreadFactory("mine", true),
                    epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        }

        @Override
        public void close() {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** Listens. */
    private static final class Echo extends EchoHandlers {
        final InetSocketAddress address;

        Echo(Context context) {
            this(context, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }

        Echo(Context context, InetSocketAddress at) {
            super(context);
            CmId listener = context.createId(events);
            listener.bind(at);
            listener.listen(0);
            address = Objects.requireNonNull(listener.localAddress());
        }
    }

    /** Sends messages one by one and waits for the answers, then disconnects. */
    private static void talk(InetSocketAddress to, int messages) {
        try (Context context = new RnicProvider().rnic().open(Progress.INLINE, Patience.OF_CONNECTIONS)) {
            CmId id = context.createId();
            id.resolveAddress(null, to);
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(64);
            QueuePair pair = id.createQueuePair(domain, EchoHandlers.small(queue));
            MemoryRegion memory = domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
            pair.postReceive(new ReceiveWorkRequest().add(memory, 0, LENGTH));
            id.connect(ConnectionParameters.DEFAULT);
            WorkCompletion[] some = WorkCompletion.array(4);
            for (int i = 0; i < messages; i++) {
                pair.postSend(new SendWorkRequest().signaled(false).add(memory, 0, 8));
                assertThat(queue.await(some, Side.PATIENCE)).isEqualTo(1);
                assertThat(some[0].succeeded()).as(some[0].describe()).isTrue();
                pair.postReceive(new ReceiveWorkRequest().add(memory, 0, LENGTH));
            }
            id.disconnect();
        }
    }

    private static void await(String what, BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(what).isLessThan(Patience.NANOS);
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "of Netty all handlers are called by those loops, and the loops continue after the close of the context")
    void netty(boolean epoll) throws Exception {
        try (Loops loops = new Loops(epoll, 2)) {
            EventLoopGroup group = loops.group;
            Echo echo;
            try (Context context = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.netty(group))) {
                assertThat(context.progress()).isEqualTo(Progress.THREADED);
                echo = new Echo(context);
                talk(echo.address, 3);
                talk(echo.address, 3);
                await("both closed", () -> echo.closed.get() == 2);
            }
            assertThat(echo.threads)
                    .isNotEmpty()
                    .allMatch(thread -> thread.getName().startsWith("mine"));
            assertThat(group.isShuttingDown()).isFalse();
            assertThat(group.submit(() -> "they run").get()).isEqualTo("they run");
        }
    }

    @Test
    @DisplayName("of Netty the program chooses the loop for each connection")
    void choice() throws Exception {
        try (Loops loops = new Loops(true, 3)) {
            EventLoopGroup group = loops.group;
            List<EventExecutor> each = new ArrayList<>();
            group.forEach(each::add);
            EventExecutor wanted = each.get(2);
            Queue<InetSocketAddress> asked = new ConcurrentLinkedQueue<>();
            EventLoops chosen = EventLoops.netty(group).choosing(remote -> {
                asked.add(remote);
                return wanted;
            });
            try (Context context = provider.rnic().open(Patience.OF_CONNECTIONS, chosen)) {
                Echo echo = new Echo(context);
                for (int i = 1; i <= 4; i++) {
                    talk(echo.address, 2);
                    int all = i;
                    await("closed", () -> echo.closed.get() == all);
                }
                Thread thread = wanted.submit(Thread::currentThread).get();
                assertThat(echo.threads).containsOnly(thread);
                assertThat(asked).hasSize(4);
            }
        }
    }

    @Test
    @DisplayName("of Netty a connection created on a loop stays on that loop")
    void ownLoop() throws Exception {
        try (Loops loops = new Loops(true, 3);
                Context server = provider.rnic().open(Progress.THREADED, Patience.OF_CONNECTIONS)) {
            EventLoopGroup group = loops.group;
            Echo echo = new Echo(server);
            try (Context context = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.netty(group))) {
                Queue<Thread> threads = new ConcurrentLinkedQueue<>();
                Queue<CmEventType> events = new ConcurrentLinkedQueue<>();
                ProtectionDomain domain = context.allocateProtectionDomain();
                EventExecutor loop = group.next();
                CmEventChannel channel = context.createEventChannel();
                channel.onEvent(event -> {
                    threads.add(Thread.currentThread());
                    events.add(event.type());
                    CmId id = Objects.requireNonNull(event.id());
                    if (event.type() == CmEventType.ADDR_RESOLVED) {
                        CompletionQueue queue = context.createCompletionQueue(16);
                        id.createQueuePair(domain, EchoHandlers.small(queue));
                        id.connect(ConnectionParameters.DEFAULT);
                    }
                });
                loop.submit(() -> context.createId(channel).resolveAddress(null, echo.address))
                        .get();
                await("it is there", () -> events.contains(CmEventType.ESTABLISHED));
                assertThat(threads)
                        .containsOnly(loop.submit(Thread::currentThread).get());
            }
        }
    }

    @Test
    @DisplayName("of Netty a handler is not called within a call of the program there")
    void notWithin() throws Exception {
        try (Loops loops = new Loops(true, 1);
                Context server = provider.rnic().open(Progress.THREADED, Patience.OF_CONNECTIONS);
                Context context = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.netty(loops.group))) {
            EventLoopGroup group = loops.group;
            Echo echo = new Echo(server);
            AtomicInteger came = new AtomicInteger();
            CompletionQueue queue = context.createCompletionQueue(16);
            queue.onCompletion((from, completions, count) -> came.addAndGet(count));
            CmId id = context.createId();
            id.resolveAddress(null, echo.address);
            QueuePair pair = id.createQueuePair(context.allocateProtectionDomain(), EchoHandlers.small(queue));
            id.connect(ConnectionParameters.DEFAULT);
            pair.postReceive(new ReceiveWorkRequest());
            int within = group.next()
                    .submit(() -> {
                        pair.modify(QueuePairState.ERR);
                        return came.get();
                    })
                    .get();
            assertThat(within).isZero();
            await("it comes after that", () -> came.get() == 1);
        }
    }

    @Test
    @DisplayName("of Netty a context can be closed after their shutdown")
    void ended() throws Exception {
        try (Loops loops = new Loops(true, 2);
                Context context = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.netty(loops.group))) {
            Echo echo = new Echo(context);
            talk(echo.address, 1);
            loops.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a selector of the program has the connections beside the program's own channels")
    void selector(boolean consumer) throws Exception {
        try (Selector selector = Selector.open();
                Context context = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.selector(selector))) {
            assertThat(context.progress()).isEqualTo(Progress.INLINE);
            Pipe pipe = Pipe.open();
            pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ, "mine");
            Echo echo = new Echo(context);
            Thread client = new Thread(() -> talk(echo.address, 5), "client");
            client.start();
            int[] own = {0};
            pipe.sink().write(ByteBuffer.allocate(1));
            long start = System.nanoTime();
            while (echo.closed.get() == 0 || own[0] == 0) {
                long nanos = Math.min(context.untilPoll(), TimeUnit.SECONDS.toNanos(10));
                long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
                if (consumer) {
                    Consumer<SelectionKey> each = key -> own[0] += context.ready(key) ? 0 : 1;
                    if (nanos == 0) {
                        selector.selectNow(each);
                    } else {
                        selector.select(each, millis + 1);
                    }
                } else {
                    if (nanos == 0) {
                        selector.selectNow();
                    } else {
                        selector.select(millis + 1);
                    }
                }
                context.poll();
                own[0] += selector.selectedKeys().size();
                selector.selectedKeys()
                        .forEach(key -> assertThat(key.attachment()).isEqualTo("mine"));
                selector.selectedKeys().clear();
                assertThat(System.nanoTime() - start).isLessThan(Patience.NANOS);
            }
            client.join();
            assertThat(echo.threads).containsOnly(Thread.currentThread());
            assertThat(own[0]).isPositive();
            pipe.sink().close();
            pipe.source().close();
        }
    }

    @Test
    @DisplayName("a selector of several contexts: a selection ends when one of them has work, and not before")
    void oneSelector() throws Exception {
        try (Selector selector = Selector.open();
                Context first = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.selector(selector));
                Context second = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.selector(selector))) {
            assertThat(second.progress()).isEqualTo(Progress.INLINE);
            Echo one = new Echo(first);
            Echo other = new Echo(second);
            List<Thread> clients = List.of(
                    new Thread(() -> talk(one.address, 5), "client"),
                    new Thread(() -> talk(other.address, 50), "client"));
            clients.forEach(Thread::start);
            long start = System.nanoTime();
            while (one.closed.get() == 0 || other.closed.get() == 0) {
                select(selector, Patience.NANOS, first, second);
            }
            assertThat(System.nanoTime() - start).isLessThan(Patience.NANOS);
            for (Thread client : clients) {
                client.join();
            }
            assertThat(other.threads).containsOnly(Thread.currentThread());

            Thread waker = new Thread(second::wakeup, "wakes");
            waker.start();
            select(selector, Patience.NANOS, first, second);
            waker.join();
            assertThat(System.nanoTime() - start).isLessThan(Patience.NANOS);
            int rounds = 0;
            for (long begun = System.nanoTime();
                    System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(200);
                    rounds++) {
                select(selector, TimeUnit.MILLISECONDS.toNanos(50), first, second);
            }
            assertThat(rounds).as("rounds of 50 ms in 200 ms").isLessThan(20);
        }
    }

    private static void select(Selector selector, long nanos, Context first, Context second) throws IOException {
        long most = Math.min(nanos, Math.min(first.untilPoll(), second.untilPoll()));
        selector.select(TimeUnit.NANOSECONDS.toMillis(most) + 1);
        first.poll();
        second.poll();
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded", "threaded jwarp.progress.native=off"})
    @DisplayName("or of several contexts, one port is shared, and each context gets some of the connections")
    void sharedPort(String how) {
        Map<String, String> settings = new HashMap<>(Patience.OF_CONNECTIONS);
        settings.put("jwarp.progress.shared-port", "on");
        String[] words = how.split(" ", -1);
        settings.put("jwarp.progress", words[0]);
        if (words.length > 1) {
            settings.put(words[1].split("=", -1)[0], words[1].split("=", -1)[1]);
        }
        try (Context first = provider.rnic().open(settings);
                Context second = provider.rnic().open(settings)) {
            Echo one = new Echo(first);
            Echo other = new Echo(second, one.address);
            assertThat(other.address).isEqualTo(one.address);
            Thread clients = new Thread(
                    () -> {
                        for (int i = 0; i < 40 && (one.closed.get() == 0 || other.closed.get() == 0); i++) {
                            talk(one.address, 1);
                        }
                    },
                    "clients");
            clients.start();
            await("both have had one", () -> {
                first.poll();
                second.poll();
                return one.closed.get() > 0 && other.closed.get() > 0;
            });
            await("the clients have ended", () -> {
                first.poll();
                second.poll();
                return !clients.isAlive();
            });
        }
    }

    @Test
    @DisplayName("a selector is woken by posts of other threads")
    void woken() throws Exception {
        try (Selector selector = Selector.open();
                Context context = provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.selector(selector))) {
            assertThat(context.untilPoll()).isPositive(); // and no poll before the first selection
            Thread waking = new Thread(context::wakeup);
            long start = System.nanoTime();
            waking.start();
            assertThat(selector.select(Patience.MILLIS)).isZero();
            assertThat(System.nanoTime() - start).as("the call returned").isLessThan(Patience.NANOS);
            waking.join();
            context.poll();

            CmEventChannel channel = context.createEventChannel();
            CmId other = context.createId(channel);
            Queue<CmEventType> told = new ConcurrentLinkedQueue<>();
            channel.onEvent(event -> told.add(event.type()));
            context.poll();
            context.awaitAsyncEvent(Duration.ofMillis(1)); // selects itself; the program selects again later
            selector.selectNow();
            Thread asking = new Thread(
                    () -> other.resolveAddress(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9)));
            start = System.nanoTime();
            asking.start();
            while (told.isEmpty()) {
                selector.select(Patience.MILLIS);
                context.poll();
            }
            assertThat(System.nanoTime() - start).as("it was woken").isLessThan(Patience.NANOS);
            asking.join();
            assertThat(told).containsExactly(CmEventType.ADDR_RESOLVED);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("datagrams run on a loop or a selector of the program")
    void datagrams(boolean epoll) throws Exception {
        try (Loops loops = new Loops(epoll, 1);
                Selector selector = Selector.open();
                Context threaded = provider.rnic().open(Map.of(), EventLoops.netty(loops.group));
                Context inline = provider.rnic().open(Map.of(), EventLoops.selector(selector))) {
            Queue<Thread> threads = new ConcurrentLinkedQueue<>();
            CompletionQueue far = threaded.createCompletionQueue(64);
            AtomicInteger came = new AtomicInteger();
            far.onCompletion((from, completions, count) -> {
                threads.add(Thread.currentThread());
                came.addAndGet(count);
            });
            CompletionQueue near = inline.createCompletionQueue(64);
            AtomicInteger sent = new AtomicInteger();
            near.onCompletion((from, completions, count) -> sent.addAndGet(count));
            DatagramQueuePair receiver = datagramPair(threaded, far);
            DatagramQueuePair sender = datagramPair(inline, near);
            ProtectionDomain domain = threaded.allocateProtectionDomain();
            assertThat(domain).isNotNull();
            sender.postSend(new SendWorkRequest()
                    .destination(
                            sender.createAddressHandle(receiver.localAddress(), receiver.number(), receiver.key())));
            long start = System.nanoTime();
            while (sent.get() == 0) {
                selector.select(context(inline));
                inline.poll();
                assertThat(System.nanoTime() - start).isLessThan(Patience.NANOS);
            }
            assertThat(threads).allMatch(thread -> thread.getName().startsWith("mine"));
        }
    }

    private static long context(Context inline) {
        return Math.min(100, TimeUnit.NANOSECONDS.toMillis(inline.untilPoll()) + 1);
    }

    private static DatagramQueuePair datagramPair(Context context, CompletionQueue queue) {
        return context.allocateProtectionDomain()
                .createDatagramQueuePair(
                        QueuePairType.UD,
                        EchoHandlers.small(queue),
                        DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .build());
    }

    @Test
    @DisplayName("that no transport supports are rejected with a message")
    void refused() throws Exception {
        try (Loops javaNio = new Loops(false, 1);
                Loops others = new Loops(true, 1);
                Selector selector = Selector.open()) {
            EventLoopGroup nio = javaNio.group;
            assertUnfit(
                    () -> provider.rnic().open(Patience.OF_CONNECTIONS, EventLoops.netty("a string")),
                    "netty",
                    "String");
            assertUnfit(
                    () -> provider.rnic()
                            .open(
                                    Patience.OF_CONNECTIONS,
                                    EventLoops.selector(selector).choosing(remote -> null)),
                    "nio",
                    "without a choice");
            Object foreign = others.group.next();
            try (Context context = provider.rnic()
                    .open(Patience.OF_CONNECTIONS, EventLoops.netty(nio).choosing(remote -> foreign))) {
                CmId id = context.createId();
                id.resolveAddress(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
                id.createQueuePair(
                        context.allocateProtectionDomain(),
                        QueuePairAttributes.builder(context.createCompletionQueue(512))
                                .build());
                assertThatThrownBy(() -> id.connect(ConnectionParameters.DEFAULT))
                        .hasMessageContaining("none of those that the context runs on");
            }
        }
    }

    private static void assertUnfit(Runnable open, String transport, @Nullable String what) {
        assertThatThrownBy(open::run)
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining(transport)
                .hasMessageContaining(what)
                .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT));
    }
}
