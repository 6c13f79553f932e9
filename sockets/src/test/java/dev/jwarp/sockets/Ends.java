package dev.jwarp.sockets;

import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.verbs.Counter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The sockets of two processes: a context for connecting channels, and one for listeners, with threads for both. */
final class Ends implements AutoCloseable {
    /** Bytes of {@link #pattern}. */
    static final int MUCH = 2_000_000;

    final SocketContext near = new SocketContext(Map.of());
    final SocketContext far = new SocketContext(Map.of());
    final JwarpSelectorProvider connecting = new JwarpSelectorProvider(() -> near);
    final JwarpSelectorProvider listening = new JwarpSelectorProvider(() -> far);
    final ServerSocketChannel listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final Map<SocketOption<?>, ?> options;

    Ends() throws IOException {
        this(Map.of());
    }

    /** The protocol of all channels. */
    Ends(StreamProtocol protocol) throws IOException {
        this(Map.of(JwarpSocketOptions.PROTOCOL, protocol));
    }

    /** The protocol of all channels, and the minimum of bytes of a zero-copy write; 0: all are copied. */
    Ends(StreamProtocol protocol, int zeroCopyBytes) throws IOException {
        this(Map.of(JwarpSocketOptions.PROTOCOL, protocol, JwarpSocketOptions.ZERO_COPY_BYTES, zeroCopyBytes));
    }

    /** The options of all channels. */
    Ends(Map<SocketOption<?>, ?> options) throws IOException {
        this.options = options;
        listener = listening.openServerSocketChannel();
        set(listener);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @SuppressWarnings("unchecked") // each option has a value of its own type
    private void set(NetworkChannel channel) throws IOException {
        for (Map.Entry<SocketOption<?>, ?> one : options.entrySet()) {
            channel.setOption((SocketOption<Object>) one.getKey(), one.getValue());
        }
    }

    SocketAddress address() throws IOException {
        return listener.getLocalAddress();
    }

    /** {@return a connected channel, whose other end is not accepted yet} */
    SocketChannel connect() throws IOException {
        SocketChannel channel = connecting.openSocketChannel();
        set(channel);
        channel.connect(address());
        return channel;
    }

    <T> Future<T> run(Callable<T> what) {
        return threads.submit(what);
    }

    /** A blocking call in a thread of its own. */
    record Waiting<T>(Thread thread, Future<T> outcome) {}

    /** {@return the call, once its thread is blocked in it or the call has ended} */
    <T> Waiting<T> waits(Callable<T> what) {
        AtomicReference<Thread> caller = new AtomicReference<>();
        Future<T> outcome = run(() -> {
            caller.set(Thread.currentThread());
            return what.call();
        });
        await().until(() -> outcome.isDone() || isWaiting(caller.get()));
        return new Waiting<>(caller.get(), outcome);
    }

    private static boolean isWaiting(@Nullable Thread thread) {
        return thread != null
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> (frame.getClassName().equals(Readiness.class.getName())
                                        && frame.getMethodName().startsWith("await"))
                                || frame.getClassName().startsWith(BlockingLock.class.getName()));
    }

    /** {@return bytes to write, in a direct buffer} */
    static ByteBuffer pattern() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(MUCH);
        for (int i = 0; i < MUCH; i++) {
            bytes.put(i, (byte) (i * 31 + (i >> 8)));
        }
        return bytes;
    }

    /** {@return all bytes up to the end of the stream, at most twice {@link #MUCH}} */
    static ByteBuffer readAll(SocketChannel from) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(2 * MUCH);
        while (from.read(bytes) >= 0) {}
        return bytes.flip();
    }

    /** {@return the value of a counter of the context} */
    static long counted(SocketContext of, String name) {
        return of.context().counters().stream()
                .filter(counter -> counter.name().equals(name))
                .mapToLong(Counter::value)
                .sum();
    }

    /** Waits until no memory is registered; afterwards there are no channels any more. */
    void awaitNoMemory() {
        for (SocketContext sockets : List.of(near, far)) {
            await().ignoreExceptions().until(() -> {
                sockets.domain().close(); // throws while memory is registered in it
                return true;
            });
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        near.close();
        far.close();
    }
}
