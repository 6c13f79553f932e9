package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.rnic.datagram.DatagramPorts.SharedPort;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The UDP ports of a context")
class DatagramPortsTest {
    private static final InetSocketAddress KNOWN = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final InetSocketAddress SLOW = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);

    private final CountDownLatch opening = new CountDownLatch(1);
    private final CountDownLatch mayOpen = new CountDownLatch(1);
    private CountDownLatch mayOpenAgain = new CountDownLatch(0);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch mayClose = new CountDownLatch(1);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger opened = new AtomicInteger();
    private final DatagramTransport transport = proxy(DatagramTransport.class, (proxy, method, arguments) -> {
        InetSocketAddress local = (InetSocketAddress) arguments[0];
        return method.getName().equals("place") ? local : open(local);
    });
    private final DatagramPorts ports = ports(Patience.NANOS);

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private DatagramPorts ports(long patienceNanos) {
        return new DatagramPorts(transport, new SplittableRandom(1), 1024, patienceNanos);
    }

    private DatagramPort open(InetSocketAddress local) throws InterruptedException {
        if (opened.incrementAndGet() > 1 && local.equals(SLOW) && opening.getCount() == 0 && !closed.get()) {
            throw new LlpException(LlpFailure.ADDRESS_IN_USE, "the address is in use");
        }
        if (local.equals(SLOW)) {
            opening.countDown();
            (closed.get() ? mayOpenAgain : mayOpen).await();
        }
        return proxy(DatagramPort.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close") && local.equals(SLOW)) {
                closing.countDown();
                mayClose.await();
                closed.set(true);
            }
            return method.getName().equals("localAddress") ? local : null;
        });
    }

    @Test
    @DisplayName("cannot be used while they are being closed: a new use waits, and opens a new port")
    void leftAndWanted() throws InterruptedException {
        mayOpen.countDown();
        SharedPort left = ports.use(SLOW);
        Thread leaver = new Thread(() -> ports.leave(left));
        leaver.start();
        closing.await();
        AtomicReference<Object> got = new AtomicReference<>();
        Thread next = new Thread(() -> {
            try {
                got.set(ports.use(SLOW));
            } catch (RuntimeException e) {
                got.set(e);
            }
        });
        next.start();
        await().until(() -> next.getState() == Thread.State.TIMED_WAITING || got.get() != null);
        mayClose.countDown();
        leaver.join();
        next.join();
        assertThat(got.get()).isInstanceOf(SharedPort.class).isNotSameAs(left);
        assertThat(ports.use(SLOW)).isSameAs(got.get());
    }

    @Test
    @DisplayName("are reopened by one of several threads that waited for the close, and shared by the others")
    void leftAndWantedByTwo() throws InterruptedException {
        mayOpen.countDown();
        mayOpenAgain = new CountDownLatch(1);
        SharedPort left = ports.use(SLOW);
        Thread leaver = new Thread(() -> ports.leave(left));
        leaver.start();
        closing.await();
        Queue<Object> got = new ConcurrentLinkedQueue<>();
        List<Thread> wanting = Stream.generate(() -> new Thread(() -> {
                    try {
                        got.add(ports.use(SLOW));
                    } catch (RuntimeException e) {
                        got.add(e);
                    }
                }))
                .limit(2)
                .toList();
        wanting.forEach(Thread::start);
        await().until(() -> wanting.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        mayClose.countDown();
        leaver.join();
        await().until(() -> wanting.stream().anyMatch(thread -> thread.getState() == Thread.State.WAITING)
                && wanting.stream().noneMatch(thread -> thread.getState() == Thread.State.RUNNABLE));
        mayOpenAgain.countDown();
        for (Thread thread : wanting) {
            thread.join();
        }
        assertThat(got).hasSize(2).allMatch(port -> port instanceof SharedPort);
        assertThat(Set.copyOf(got)).hasSize(1);
    }

    @Test
    @DisplayName(
            "can be used by the owner of the transport while another thread waits for the owner to open another one")
    void ownerIsNotHeldUp() throws InterruptedException {
        ports.use(KNOWN);
        Thread opener = new Thread(() -> ports.use(SLOW));
        opener.start();
        opening.await();
        Thread owner = new Thread(() -> ports.leave(ports.use(KNOWN))); // as a service handler may
        owner.start();
        owner.join(Patience.MILLIS);
        boolean heldUp = owner.isAlive();
        mayOpen.countDown();
        opener.join();
        owner.join();
        assertThat(heldUp).isFalse();
    }

    @Test
    @DisplayName(
            "block the owner of the transport only up to a timeout when another thread waits for the owner to open the same one")
    void ownerWantsTheSame() throws InterruptedException {
        DatagramPorts hasty = ports(1);
        AtomicReference<SharedPort> got = new AtomicReference<>();
        Thread opener = new Thread(() -> got.set(hasty.use(SLOW)));
        opener.start();
        opening.await();
        AtomicReference<Throwable> refused = new AtomicReference<>();
        Thread owner = new Thread(() -> {
            try {
                hasty.use(SLOW);
            } catch (Throwable e) {
                refused.set(e);
            }
        });
        owner.start();
        owner.join(Patience.MILLIS);
        boolean heldUp = owner.isAlive();
        mayOpen.countDown();
        opener.join();
        owner.join();
        assertThat(heldUp).isFalse();
        assertThat(refused.get())
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE));
        assertThat(hasty.use(SLOW)).isSameAs(got.get());
    }

    @Test
    @DisplayName("are opened once, however many threads want one at the same time")
    void openedOnce() throws InterruptedException {
        Thread first = new Thread(() -> ports.use(SLOW));
        first.start();
        opening.await();
        Thread second = new Thread(() -> ports.use(SLOW));
        second.start();
        mayOpen.countDown();
        first.join();
        second.join();
        assertThat(opened).hasValue(1);
    }

    @Test
    @DisplayName(
            "are unique per address even if the system binds it twice: the later port is closed, and the first is used")
    void openedTwice() {
        List<SharedPort> within = new ArrayList<>();
        AtomicInteger closes = new AtomicInteger();
        AtomicReference<DatagramPorts> made = new AtomicReference<>();
        DatagramTransport giving = proxy(DatagramTransport.class, (proxy, method, arguments) -> {
            if (method.getName().equals("place")) {
                return arguments[0];
            }
            if (within.isEmpty() && !opening.await(0, TimeUnit.NANOSECONDS)) {
                opening.countDown();
                within.add(made.get().use(ANY)); // used by another thread meanwhile
            }
            return proxy(DatagramPort.class, (port, called, none) -> {
                if (called.getName().equals("close")) {
                    closes.incrementAndGet();
                }
                return called.getName().equals("localAddress") ? KNOWN : null;
            });
        });
        made.set(new DatagramPorts(giving, new SplittableRandom(1), 1024));
        DatagramPorts twice = made.get();
        SharedPort later = twice.use(ANY);
        assertThat(later).isSameAs(within.get(0));
        assertThat(closes).hasValue(1);
        twice.leave(later);
        assertThat(closes).hasValue(1);
        twice.leave(within.get(0));
        assertThat(closes).hasValue(2);
    }
}
