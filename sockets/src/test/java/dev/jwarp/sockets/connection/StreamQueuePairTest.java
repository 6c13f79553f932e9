package dev.jwarp.sockets.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Tally;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamException;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A stream on a queue pair")
class StreamQueuePairTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int BYTES = 3_000_000;

    /** A connection of the context with itself. Closing it closes both ends. */
    private static final class Loop implements AutoCloseable {
        final Context context;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final CmEventChannel events;
        final CmId listener;
        final CmId client;
        final CmId server;
        final StreamQueuePair near;
        final StreamQueuePair far;
        final WorkCompletion[] some = WorkCompletion.array(16);
        final StreamMemory memory = new StreamMemory(1 << 26);

        Loop(Progress progress, StreamProtocol protocol) throws StreamException {
            StreamSetUp setUp = StreamSetUp.DEFAULT.withProtocol(protocol, CreditSetUp.DEFAULT);
            context = RdmaProvider.load().devices().get(0).open(progress, Map.of());
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(2 * StreamQueuePair.entries());
            events = context.createEventChannel();
            listener = context.createId(events);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            client = context.createId(events);
            client.resolveAddress(null, listener.localAddress());
            event(CmEventType.ADDR_RESOLVED);
            near = StreamQueuePair.of(
                    domain, completions, client, setUp, loan(), new Tally<>(RegisteredBuffers.Counter.class));
            client.connect(
                    ConnectionParameters.DEFAULT.withPrivateData(near.engine().record()));
            CmEvent request = event(CmEventType.CONNECT_REQUEST);
            server = request.id();
            far = StreamQueuePair.of(
                    domain, completions, server, setUp, loan(), new Tally<>(RegisteredBuffers.Counter.class));
            server.accept(
                    ConnectionParameters.DEFAULT.withPrivateData(far.engine().record()));
            far.engine().connected(ByteBuffer.wrap(request.parameters().privateData()));
            CmEvent established = event(CmEventType.ESTABLISHED);
            while (established.id() != client) {
                established = event(CmEventType.ESTABLISHED);
            }
            near.engine().connected(ByteBuffer.wrap(established.parameters().privateData()));
        }

        private StreamMemory.Loan loan() {
            return memory.join(null, () -> {});
        }

        private CmEvent event(CmEventType wanted) {
            CmEvent event = events.await(PATIENCE);
            assertThat(event).isNotNull();
            assertThat(event.type()).as(event.sentence()).isEqualTo(wanted);
            return event;
        }

        /** Waits for completions, and processes them. */
        void drive() {
            int count = completions.await(some, PATIENCE);
            assertThat(count).as("completions").isPositive();
            for (int i = 0; i < count; i++) {
                boolean ofNear = some[i].queuePairNumber() == client.queuePair().number();
                (ofNear ? near : far).on(some[i]);
            }
        }

        @Override
        public void close() {
            client.close();
            server.close();
            near.close();
            far.close();
            listener.close();
            events.close();
            completions.close();
            domain.close();
            context.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"INLINE, RSOCKETS", "THREADED, RSOCKETS", "INLINE, CREDITS", "THREADED, CREDITS"})
    @DisplayName("carries bytes in both directions at the same time, then the end, and leaves no resources:")
    void bothWays(Progress progress, StreamProtocol protocol) throws IOException {
        try (Loop loop = new Loop(progress, protocol)) {
            Way there = new Way(loop.near.engine(), loop.far.engine());
            Way back = new Way(loop.far.engine(), loop.near.engine());
            while (!there.ended || !back.ended) {
                boolean moved = there.go();
                moved |= back.go();
                if (!moved) {
                    loop.drive();
                }
            }
            while (!loop.near.engine().finished() || !loop.far.engine().finished()) {
                loop.drive();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"INLINE, RSOCKETS", "THREADED, RSOCKETS", "INLINE, CREDITS", "THREADED, CREDITS"})
    @DisplayName("reports a peer that ends the connection without closing the stream:")
    void gone(Progress progress, StreamProtocol protocol) throws IOException {
        try (Loop loop = new Loop(progress, protocol)) {
            SocketEngine far = loop.far.engine();
            loop.client.disconnect();
            while (!far.finished()) {
                loop.drive();
            }
            assertThat(far.readable()).as("the reason of the end is known").isFalse();
            assertThatThrownBy(() -> far.write(ByteBuffer.allocate(1)))
                    .hasMessage("Broken pipe: the peer has closed the connection");
        }
    }

    @Test
    @DisplayName("has 1 MiB of receive memory once the peer has filled all of it, and no more")
    void growth() throws IOException {
        try (Loop loop = new Loop(Progress.INLINE, StreamProtocol.RSOCKETS)) {
            long before = loop.memory.used();
            fill(loop, StreamSetUp.DEFAULT.receiveBytes());
            long grown = before + (1 << 20) + 2 * 4096; // two places, each with a page
            while (loop.memory.used() < grown) {
                loop.drive();
            }
            fill(loop, 1 << 20);
            fill(loop, 1 << 20);
            assertThat(loop.memory.used()).isEqualTo(grown);
        }
    }

    /** Writes bytes until all are in the receive memory of the far end, which then reads all of them. */
    private static void fill(Loop loop, int bytes) throws IOException {
        ByteBuffer data = ByteBuffer.allocateDirect(bytes);
        SocketEngine far = loop.far.engine();
        while (far.unread() < bytes) {
            if (loop.near.engine().write(data) == 0) {
                loop.drive();
            }
        }
        assertThat(far.read(data.clear())).isEqualTo(bytes);
    }

    /** The bytes of one direction, and their end. */
    private static final class Way {
        private final SocketEngine from;
        private final SocketEngine to;
        private final ByteBuffer data = ByteBuffer.allocateDirect(BYTES);
        private final ByteBuffer came = ByteBuffer.allocateDirect(BYTES);
        private boolean ended;

        Way(SocketEngine from, SocketEngine to) {
            this.from = from;
            this.to = to;
            for (int i = 0; i < BYTES; i++) {
                data.put(i, (byte) (i * 31 + (i >> 8)));
            }
        }

        /** Writes and reads as many bytes as possible. Returns whether any were moved. */
        boolean go() throws IOException {
            if (ended) {
                return false;
            }
            int written = 0;
            if (data.hasRemaining()) {
                written = from.write(data);
                if (!data.hasRemaining()) {
                    from.shutdownOutput();
                }
            }
            int read = came.hasRemaining() ? to.read(came) : to.read(ByteBuffer.allocate(1));
            if (read < 0) {
                assertThat(came.flip()).isEqualTo(data.flip());
                ended = true;
            }
            return written != 0 || read != 0;
        }
    }

    @Test
    @DisplayName("ends while the program frees shared memory: all memory is freed")
    void sharedMeanwhile() throws Exception {
        for (int round = 0; round < 50; round++) {
            try (Loop loop = new Loop(Progress.INLINE, StreamProtocol.RSOCKETS)) {
                List<MemoryRegion> shared = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    shared.add(loop.near.share(ByteBuffer.allocateDirect(1)));
                }
                CompletableFuture<Void> program = CompletableFuture.runAsync(
                        () -> shared.forEach(region -> {
                            loop.near.forget(region);
                            region.close();
                        }),
                        OwnThread.EACH);
                loop.near.close();
                program.get();
            }
        }
    }
}
