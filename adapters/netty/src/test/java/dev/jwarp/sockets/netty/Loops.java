package dev.jwarp.sockets.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Event loops of one test, all of which must end with it. */
final class Loops implements AutoCloseable {
    /** The longest wait of a test. */
    static final long PATIENCE_SECONDS = Patience.LIMIT.toSeconds();

    private final Deque<EventLoopGroup> groups = new ArrayDeque<>();

    EventLoopGroup of(int threads) {
        return of(threads, Map.of());
    }

    EventLoopGroup of(int threads, Map<String, String> settings) {
        EventLoopGroup made = new MultiThreadIoEventLoopGroup(threads, JwarpIoHandler.newFactory(settings));
        groups.push(made);
        return made;
    }

    /** Ends the loops, the last one first. */
    @Override
    public void close() throws InterruptedException {
        for (EventLoopGroup group : groups) {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(group.isTerminated()).isTrue();
        }
    }

    /** An allocator without memory for reads. */
    static final class NoMemory extends FixedRecvByteBufAllocator {
        NoMemory() {
            super(1000);
        }

        @Override
        @SuppressWarnings("deprecation") // the type is, the call is not
        public Handle newHandle() {
            return new DelegatingHandle(super.newHandle()) {
                @Override
                public ByteBuf allocate(ByteBufAllocator allocator) {
                    throw new OutOfMemoryError("of the test");
                }
            };
        }
    }
}
