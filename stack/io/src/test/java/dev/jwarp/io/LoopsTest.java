package dev.jwarp.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.io.netty.NettyEventLoops;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Loops")
class LoopsTest {
    private final List<Throwable> failed = new CopyOnWriteArrayList<>();

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
        loop.items().add(new LoopItem(loop) {
            @Override
            protected void onTimer(long nowNanos) {}

            @Override
            protected void abort(long nowNanos) {
                loop.later(() -> done.add("at the end"));
            }

            @Override
            protected void fault(Throwable cause, long nowNanos) {
                failed.add(cause);
            }
        });
        loops.close(() -> {});
        assertThat(done).containsExactly("before", "at the end");
        loops.first().later(() -> done.add("behind"));
        await().until(() -> done.contains("behind"));
    }
}
