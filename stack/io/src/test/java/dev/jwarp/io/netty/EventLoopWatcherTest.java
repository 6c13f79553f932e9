package dev.jwarp.io.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.GivenLoops;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A loop on an event loop of Netty")
class EventLoopWatcherTest {
    private static final int TURNS = 1_000;
    private static final int ITEMS = 500;

    /** Number of selections of the event loop. */
    private final AtomicInteger looks = new AtomicInteger();

    /** Whether the event loop had nothing to do at its last selection. */
    private volatile boolean sleeps;

    private final List<Throwable> failed = new CopyOnWriteArrayList<>();
    private MultiThreadIoEventLoopGroup group;
    private NettyEventLoops loops;
    private Loop loop;

    @BeforeEach
    void open() throws IOException {
        IoHandlerFactory sockets = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        group = new MultiThreadIoEventLoopGroup(1, executor -> counted(sockets.newHandler(executor)));
        loops = loopsOn(group);
        loop = loops.first();
    }

    private NettyEventLoops loopsOn(MultiThreadIoEventLoopGroup of) throws IOException {
        return new NettyEventLoops(
                watcher -> new Loop(WaitMode.SELECT, 1, watcher, failed::add), of, new GivenLoops(of, null));
    }

    /** {@return the watch over input of a channel, which becomes non-blocking} */
    private SocketWatch watch(Pipe.SourceChannel channel, LoopItem item) throws IOException {
        channel.configureBlocking(false);
        AtomicReference<SocketWatch> watch = new AtomicReference<>();
        loop.executeAndWait(() -> {
            try {
                watch.set(loop.watcher().watch(channel, SelectionKey.OP_READ, item));
            } catch (IOException e) {
                failed.add(e);
            }
        });
        return watch.get();
    }

    private IoHandler counted(IoHandler handler) {
        return (IoHandler) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {IoHandler.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("run")) {
                        looks.incrementAndGet();
                        sleeps |= ((IoHandlerContext) arguments[0]).canBlock();
                    }
                    return method.invoke(handler, arguments);
                });
    }

    @AfterEach
    void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        assertThat(failed).isEmpty();
    }

    /** Records the calls of the loop. */
    private class Item extends LoopItem {
        final List<String> told = new CopyOnWriteArrayList<>();

        Item() {
            super(EventLoopWatcherTest.this.loop);
        }

        @Override
        protected void onWoken(long nowNanos) {
            told.add("woken");
        }

        @Override
        protected void onTimer(long nowNanos) {
            told.add("timer");
        }

        @Override
        protected void abort(long nowNanos) {
            told.add("abort");
            loop.items().remove(this);
        }

        @Override
        protected void fault(Throwable cause, long nowNanos) {
            failed.add(cause);
        }
    }

    @Test
    @DisplayName("handles input although an item always requests another turn")
    void inputFirst() {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        loop.wake(new Item() {
            @Override
            protected void onWoken(long nowNanos) {
                seen.add(looks.get());
                if (seen.size() < TURNS) {
                    loop.wake(this);
                }
            }
        });
        await().until(() -> seen.size() == TURNS);
        Map<Integer, Integer> turns = new HashMap<>();
        seen.forEach(look -> turns.merge(look, 1, Integer::sum));
        assertThat(turns.values()).as("turns between two looks").allMatch(count -> count <= 2);
    }

    @Test
    @DisplayName("handles input although many items request turns, and each gets one")
    void manyItems() {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            items.add(new Item() {
                @Override
                protected void onWoken(long nowNanos) {
                    super.onWoken(nowNanos);
                    seen.add(looks.get());
                }
            });
        }
        loop.note(() -> items.forEach(loop::wake));
        await().until(() -> seen.size() == ITEMS);
        assertThat(items).allSatisfy(item -> assertThat(item.told).containsExactly("woken"));
        Map<Integer, Integer> turns = new HashMap<>();
        seen.forEach(look -> turns.merge(look, 1, Integer::sum));
        assertThat(turns.values()).as("turns between two looks").allMatch(count -> count <= 2 * 64);
    }

    @Test
    @DisplayName("fires a timer when it is due, even one that replaces a later timer")
    void timers() throws Exception {
        Item item = new Item();
        loop.note(() -> loop.timers().schedule(item, loop.now() + TimeUnit.DAYS.toNanos(1)));
        group.submit(() -> {}).sync(); // after the step that has set the alarm
        loop.note(() -> loop.timers().schedule(item, loop.now() + TimeUnit.MILLISECONDS.toNanos(20)));
        await().until(() -> item.told.contains("timer"));
        assertThat(item.told).containsExactly("timer");
    }

    @Test
    @DisplayName(
            "runs a task of its own thread at once, and notes in its next step: what they call is not called within that thread's call")
    void executesHere() throws Exception {
        List<String> done = new ArrayList<>();
        group.submit(() -> {
                    loop.note(() -> done.add("note"));
                    loop.execute(() -> done.add("task"));
                    done.add("back");
                })
                .sync();
        group.submit(() -> {}).sync();
        assertThat(done).containsExactly("task", "back", "note");
    }

    @Test
    @DisplayName("fires a timer that a task of its own thread has set")
    void timerOfTask() {
        Item item = new Item();
        long later = loop.now() + TimeUnit.MILLISECONDS.toNanos(20);
        group.execute(() -> loop.execute(() -> loop.timers().schedule(item, later)));
        await().until(() -> item.told.contains("timer"));
    }

    @Test
    @DisplayName("is not referenced by the program's event loop after it is closed")
    void forgotten() {
        WeakReference<Loop> closed = new WeakReference<>(loop);
        loops.close(() -> {});
        loops = null;
        loop = null;
        await().until(() -> {
            System.gc();
            return closed.get() == null;
        });
    }

    @Test
    @DisplayName("moves no bytes on another thread, although that thread waits for them")
    void waits() {
        AtomicReference<Thread> by = new AtomicReference<>();
        loop.executeAndWait(() -> by.set(Thread.currentThread()));
        assertThat(by.get()).isNotNull().isNotSameAs(Thread.currentThread());
    }

    @Test
    @DisplayName("fires other timers although one is always due")
    void atOnce() {
        Item other = new Item();
        Item item = new Item() {
            @Override
            protected void onTimer(long nowNanos) {
                super.onTimer(nowNanos);
                if (told.size() == 1) {
                    loop.timers().schedule(this, Long.MIN_VALUE);
                    loop.timers().schedule(other, loop.now() + TimeUnit.MILLISECONDS.toNanos(20));
                }
            }
        };
        loop.note(() -> loop.timers().schedule(item, loop.now()));
        await().until(() -> other.told.contains("timer"));
        assertThat(item.told).hasSize(2);
    }

    @Test
    @DisplayName("lets the event loop sleep after it is closed, although threads still wake its items")
    void closedSleeps() {
        Item item = new Item() {
            @Override
            protected void abort(long nowNanos) {
                super.abort(nowNanos);
                loop.wake(this);
            }
        };
        loop.executeAndWait(() -> loop.items().add(item));
        loops.close(() -> {});
        loop.wake(item);
        sleeps = false;
        await().until(() -> {
            group.submit(() -> {}).sync();
            return sleeps;
        });
    }

    @Test
    @DisplayName("continues after Netty's event loop of java.nio has closed one channel")
    void oneChannel() throws Exception {
        Pipe pipe = Pipe.open();
        MultiThreadIoEventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        loop = loopsOn(nio).first();
        ((AutoCloseable) watch(pipe.source(), new Item())).close();
        assertThat(loop.isClosed()).isFalse();
        nio.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        await().until(loop::isClosed);
        pipe.sink().close();
        pipe.source().close();
    }

    @Test
    @DisplayName("goes on after an Error of an item, which would end the event loop")
    void goesOnAfterError() throws Exception {
        Pipe pipe = Pipe.open();
        MultiThreadIoEventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        NettyEventLoops own = loopsOn(nio);
        loop = own.first();
        AtomicInteger calls = new AtomicInteger();
        watch(pipe.source(), new Item() {
            @Override
            protected void onReady(int operations, long nowNanos) {
                calls.incrementAndGet();
                throw new AssertionError("in a test");
            }

            @Override
            protected void fault(Throwable cause, long nowNanos) {
                throw (Error) cause;
            }
        });
        pipe.sink().write(ByteBuffer.allocate(1)); // stays unread, so the pipe is ready again and again
        await().until(() -> calls.get() > 1);
        own.close(() -> {});
        nio.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        pipe.sink().close();
        pipe.source().close();
    }

    @Test
    @DisplayName("ends with the event loop: its items are aborted, and late notes run all the same")
    void ends() {
        Item item = new Item();
        loop.executeAndWait(() -> loop.items().add(item));
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        await().until(loop::isClosed);
        assertThat(item.told).containsExactly("abort");
        AtomicInteger done = new AtomicInteger();
        loop.note(done::incrementAndGet);
        assertThat(done).hasValue(1);
    }

    @Test
    @DisplayName("leaves the program's event loop running when it is closed")
    void leavesRunning() throws Exception {
        AtomicInteger last = new AtomicInteger();
        loops.close(last::incrementAndGet);
        assertThat(last).hasValue(1);
        assertThat(loop.isClosed()).isTrue();
        group.submit(last::incrementAndGet).sync();
        assertThat(last).hasValue(2);
    }
}
