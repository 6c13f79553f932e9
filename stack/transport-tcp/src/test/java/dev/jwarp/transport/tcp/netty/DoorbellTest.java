package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A stream that always has more to write")
class DoorbellTest {
    private static final int TURNS = 1_000;

    @Test
    @DisplayName("keeps no input waiting: the event loop looks at its sockets between two of its turns")
    void inputFirst() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        EventLoopGroup group = counted(looks);
        try {
            List<Integer> seen = new CopyOnWriteArrayList<>();
            AtomicReference<Doorbell> own = new AtomicReference<>();
            Doorbell doorbell = new Doorbell(new Rounds(group.next()), () -> {
                own.get().heard();
                seen.add(looks.get());
                if (seen.size() < TURNS) {
                    own.get().ringBehindInput();
                }
            });
            own.set(doorbell);
            doorbell.ring();
            await().until(() -> seen.size() == TURNS);
            assertThat(seen).isSorted().doesNotHaveDuplicates();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    @DisplayName(
            "waits where many have: between two looks at the sockets some of them have their turn, the longest waiting first")
    void someInARound() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        EventLoopGroup group = counted(looks);
        try {
            EventLoop loop = group.next();
            Rounds rounds = new Rounds(loop);
            List<Integer> order = new CopyOnWriteArrayList<>();
            List<Integer> seen = new CopyOnWriteArrayList<>();
            List<Doorbell> doorbells = new ArrayList<>();
            for (int i = 0; i < 3 * Rounds.RINGS + 1; i++) {
                int number = i;
                doorbells.add(new Doorbell(rounds, () -> {
                    doorbells.get(number).heard();
                    order.add(number);
                    seen.add(looks.get());
                }));
            }
            loop.execute(() -> {
                doorbells.forEach(Doorbell::ringBehindInput);
                doorbells.forEach(Doorbell::ringBehindInput); // once
            });
            await().until(() -> order.size() == doorbells.size());
            assertThat(order).isSorted().doesNotHaveDuplicates();
            for (int i = 0; i + Rounds.RINGS < seen.size(); i++) {
                assertThat(seen.get(i + Rounds.RINGS)).isGreaterThan(seen.get(i));
            }
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    /** {@return an event loop that counts each look at its sockets} */
    private static EventLoopGroup counted(AtomicInteger looks) {
        IoHandlerFactory sockets = LastingInterest.factory();
        return new MultiThreadIoEventLoopGroup(1, executor -> counted(sockets.newHandler(executor), looks));
    }

    private static IoHandler counted(IoHandler handler, AtomicInteger looks) {
        return (IoHandler) Proxy.newProxyInstance(
                DoorbellTest.class.getClassLoader(), new Class<?>[] {IoHandler.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("run")) {
                        looks.incrementAndGet();
                    }
                    return method.invoke(handler, arguments);
                });
    }
}
