package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A stream that always has more to write")
class DoorbellTest {
    private static final int CONNECTIONS = 40;

    @Test
    @DisplayName("keeps no input waiting: the event loop looks at its sockets between two of its turns")
    void inputFirst() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LastingInterest.factory());
        AtomicBoolean over = new AtomicBoolean();
        try {
            AtomicInteger accepted = new AtomicInteger();
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new Counter(accepted))
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            AtomicReference<Doorbell> own = new AtomicReference<>();
            Doorbell doorbell = new Doorbell(new Rounds(listener.eventLoop()), () -> {
                own.get().heard();
                if (!over.get()) {
                    own.get().ringBehindInput();
                }
            });
            own.set(doorbell);
            doorbell.ring();
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            long begun = System.nanoTime();
            for (int i = 1; i <= CONNECTIONS; i++) {
                int wanted = i;
                try (Socket ignored = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    // A loop that runs tasks as long as there are any looks at its sockets once a second.
                    Duration left = Duration.ofSeconds(20).minusNanos(System.nanoTime() - begun);
                    await().atMost(left).until(() -> accepted.get() == wanted);
                }
            }
        } finally {
            over.set(true);
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    @DisplayName(
            "waits where many have: between two looks at the sockets some of them have their turn, the longest waiting first")
    void someInARound() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        IoHandlerFactory sockets = LastingInterest.factory();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, executor -> counted(sockets.newHandler(executor), looks)); // each run is a look at the sockets
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

    private static IoHandler counted(IoHandler handler, AtomicInteger looks) {
        return (IoHandler) Proxy.newProxyInstance(
                DoorbellTest.class.getClassLoader(), new Class<?>[] {IoHandler.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("run")) {
                        looks.incrementAndGet();
                    }
                    return method.invoke(handler, arguments);
                });
    }

    /** Counts connections. */
    @Sharable
    private static final class Counter extends ChannelInboundHandlerAdapter {
        private final AtomicInteger count;

        Counter(AtomicInteger count) {
            this.count = count;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            count.incrementAndGet();
        }
    }
}
