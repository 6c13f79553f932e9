package dev.jwarp.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.netty.NettyEventLoops;
import dev.jwarp.llp.GivenLoops;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Loops")
class LoopsTest {
    private final List<Throwable> failed = new CopyOnWriteArrayList<>();

    private class Item extends LoopItem {
        int turns;

        Item(Loop loop) {
            super(loop);
        }

        @Override
        protected void onWoken(long nowNanos) {
            turns++;
        }

        @Override
        protected void onTimer(long nowNanos) {}

        @Override
        protected void fault(Throwable cause, long nowNanos) {
            failed.add(cause);
        }
    }

    private Loop loop(SocketWatcher.Maker watcher) throws IOException {
        return new Loop(WaitMode.SELECT, 1, watcher, failed::add);
    }

    private static Loop none(SocketWatcher.Maker watcher) throws IOException {
        throw new IOException("no descriptor");
    }

    @Test
    @DisplayName("throw if they cannot be opened, and leave no waiting thread")
    void notOpened() {
        assertThatThrownBy(() -> Loops.threads(LoopsTest::none, 2, "test")).hasMessage("no descriptor");
        Assumptions.assumeTrue(Epoll.isAvailable(), "NOT RUN: epoll cannot be had here");
        assertThatThrownBy(() -> new NettyEventLoops(LoopsTest::none, 2, "test"))
                .hasMessage("no descriptor");
    }

    @Test
    @DisplayName("of threads run tasks there, and end with them")
    void threads() throws Exception {
        Loops loops = Loops.threads(this::loop, 2, "test");
        AtomicReference<Thread> by = new AtomicReference<>();
        loops.next().executeAndWait(() -> by.set(Thread.currentThread()));
        assertThat(by.get().getName()).startsWith("test-");
        loops.close(() -> {});
        assertThat(loops.all()).allMatch(Loop::isClosed);
        assertThat(by.get().isAlive()).isFalse();
        assertThat(failed).isEmpty();
    }

    @Test
    @DisplayName("run late tasks even during and after their close")
    void later() throws Exception {
        Loops loops = Loops.inline(this::loop, null, "test");
        List<String> done = new CopyOnWriteArrayList<>();
        Loop loop = loops.first();
        loop.later(() -> done.add("before"));
        loop.items().add(new Item(loop) {
            @Override
            protected void abort(long nowNanos) {
                loop.later(() -> done.add("at the end"));
            }
        });
        loops.close(() -> {});
        assertThat(done).containsExactly("before", "at the end");
        loops.first().later(() -> done.add("behind"));
        await().until(() -> done.contains("behind"));
    }

    @Test
    @DisplayName("give each item that is woken several times one turn, whether the owner wakes it or another caller")
    void turns() throws Exception {
        Loop loop = Loops.inline(this::loop, null, "test").first();
        Item twice = new Item(loop);
        Item other = new Item(loop);
        loop.wake(twice);
        loop.wake(twice);
        loop.executeAndWait(() -> {
            loop.wake(other);
            loop.wake(other);
        });
        assertThat(loop.untilPoll()).isZero();
        while (loop.poll()) {}
        assertThat(twice.turns).isEqualTo(1);
        assertThat(other.turns).isEqualTo(1);
        assertThat(loop.untilPoll()).isEqualTo(Long.MAX_VALUE);
        assertThat(failed).isEmpty();
    }

    @Test
    @DisplayName("return from each poll while an item wakes itself in each turn, and give the others their turns")
    void restless() throws Exception {
        Loop loop = Loops.inline(this::loop, null, "test").first();
        Item restless = new Item(loop) {
            @Override
            protected void onWoken(long nowNanos) {
                super.onWoken(nowNanos);
                loop.wake(this);
            }
        };
        Item other = new Item(loop);
        loop.wake(restless);
        assertThat(loop.poll()).isTrue();
        loop.wake(other);
        assertThat(loop.poll()).isTrue();
        assertThat(other.turns).isEqualTo(1);
        assertThat(restless.turns).isBetween(2, 8);
    }

    @Test
    @DisplayName("give a turn to an item that another caller wakes, among any number of items that wake themselves")
    void restlessMany() throws Exception {
        Loop loop = Loops.inline(this::loop, null, "test").first();
        for (int i = 0; i < 128; i++) {
            loop.wake(new Item(loop) {
                @Override
                protected void onWoken(long nowNanos) {
                    loop.wake(this);
                }
            });
        }
        loop.poll();
        Item other = new Item(loop);
        loop.wake(other);
        for (int i = 0; i < 8; i++) {
            loop.poll();
        }
        assertThat(other.turns).isEqualTo(1);
    }

    @Test
    @DisplayName("on a selector of the program end its select if an item is woken outside of a poll")
    void selectorOfTheProgram() throws Exception {
        try (Selector selector = Selector.open()) {
            Loop loop = Loops.inline(this::loop, new GivenLoops(selector, null), "test")
                    .first();
            Item item = new Item(loop);
            loop.poll();
            loop.executeUnpolled(() -> loop.wake(item));
            selector.select();
            loop.await(0);
            assertThat(item.turns).isEqualTo(1);
        }
    }
}
