package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Counter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A socket channel with zero-copy data")
class ZeroCopyChannelTest {
    private static final int MUCH = 1 << 20;
    private static final int LEAST = 10_000;

    private Ends ends;
    private SocketChannel near;
    private SocketChannel far;

    @BeforeEach
    void begin() throws IOException {
        ends = new Ends(StreamProtocol.CREDITS, LEAST);
        near = ends.connect();
        far = ends.listener.accept();
    }

    @AfterEach
    void end() throws IOException {
        near.close();
        far.close();
        try (Ends last = ends) {
            last.awaitNoMemory();
        }
    }

    private static ByteBuffer pattern(int length) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(length);
        for (int i = 0; i < length; i++) {
            bytes.put(i, octet(i));
        }
        return bytes;
    }

    private static byte octet(int at) {
        return (byte) (at * 31 + (at >> 8));
    }

    private static void assertPattern(ByteBuffer bytes) {
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) != octet(i)) {
                throw new AssertionError("byte " + i + " is " + bytes.get(i) + ", and was " + octet(i));
            }
        }
    }

    private static long count(SocketContext of, String counter) {
        return of.context().counters().stream()
                .filter(one -> one.name().equals(counter))
                .mapToLong(Counter::value)
                .sum();
    }

    private static int readAll(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining() && from.read(into) >= 0) {}
        return into.position();
    }

    private Future<Integer> reads(SocketChannel from, ByteBuffer into) {
        return ends.run(() -> readAll(from, into));
    }

    @Test
    @DisplayName("writes to the memory of a reader that was first")
    void readerFirst() throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(MUCH);
        Future<Integer> reader = ends.waits(() -> readAll(far, into)).outcome();
        long before = count(ends.near, "messages_sent");
        assertThat(near.write(pattern(MUCH))).isEqualTo(MUCH);
        assertThat(Patience.get(reader)).isEqualTo(MUCH);
        assertPattern(into);
        assertThat(count(ends.near, "messages_sent") - before)
                .as("a compare-and-swap, a Write, a message; with messages of 4 KiB 257")
                .isLessThan(10);
    }

    @Test
    @DisplayName("has the memory of a writer that was first read by its peer; the write returns afterwards")
    void writerFirst() throws Exception {
        Future<Integer> writer = ends.waits(() -> near.write(pattern(MUCH))).outcome();
        ByteBuffer into = ByteBuffer.allocateDirect(MUCH);
        assertThat(Patience.get(reads(far, into))).isEqualTo(MUCH);
        assertThat(Patience.get(writer)).isEqualTo(MUCH);
        assertPattern(into);
    }

    @ParameterizedTest
    @CsvSource({"1048576, false", "30000, false", "9999, false", "1, false", "1048576, true", "70000, true"})
    @DisplayName("is read by a program with small or heap buffers (bytes, in the heap):")
    void smallReads(int size, boolean heap) throws Exception {
        int length = size == 1 ? 3 * LEAST : MUCH;
        Future<Integer> writer = ends.run(() -> near.write(pattern(length)));
        ByteBuffer all = ByteBuffer.allocate(length);
        ByteBuffer into = heap ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
        while (all.hasRemaining()) {
            far.read(into.clear());
            all.put(into.flip());
        }
        assertThat(Patience.get(writer)).isEqualTo(length);
        assertPattern(all);
    }

    @Test
    @DisplayName("is read by a program with a selector")
    void selector() throws Exception {
        far.configureBlocking(false);
        Future<Integer> writer = ends.run(() -> near.write(pattern(MUCH)));
        ByteBuffer all = ByteBuffer.allocateDirect(MUCH);
        try (Selector selector = ends.listening.openSelector()) {
            far.register(selector, SelectionKey.OP_READ);
            while (all.hasRemaining()) {
                selector.select(key -> {
                    try {
                        far.read(all);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
            }
        }
        assertThat(Patience.get(writer)).isEqualTo(MUCH);
        assertPattern(all);
    }

    @Test
    @DisplayName("carries writes of all lengths in order, in both directions at the same time")
    void mixed() throws Exception {
        Future<?>[] all = new Future<?>[4];
        all[0] = ends.run(() -> writeMixed(near));
        all[1] = ends.run(() -> writeMixed(far));
        ByteBuffer there = ByteBuffer.allocateDirect(4 * MUCH);
        ByteBuffer back = ByteBuffer.allocateDirect(4 * MUCH);
        all[2] = reads(far, there);
        all[3] = reads(near, back);
        for (Future<?> one : all) {
            Patience.get(one);
        }
        assertPattern(there);
        assertPattern(back);
    }

    private static int writeMixed(SocketChannel to) throws IOException {
        ByteBuffer bytes = pattern(4 * MUCH);
        int at = 0;
        for (int length = 1; at < bytes.capacity(); length = length > MUCH ? 3 : length * 3) {
            int end = Math.min(at + length, bytes.capacity());
            to.write(bytes.clear().position(at).limit(end));
            assertThat(bytes.position()).isEqualTo(end);
            at = end;
        }
        return at;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("uses messages if one end does not offer zero-copy data (this end offers them):")
    void fallsBack(boolean own) throws Exception {
        try (Ends others = new Ends(StreamProtocol.CREDITS, own ? 0 : LEAST);
                SocketChannel one = others.connecting.openSocketChannel()) {
            one.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS)
                    .setOption(JwarpSocketOptions.ZERO_COPY_BYTES, own ? LEAST : 0)
                    .connect(others.address());
            assertCopies(others, one);
        }
    }

    @Test
    @DisplayName("uses messages if a device has no Atomics")
    void withoutAtomics() throws Exception {
        try (SocketContext plain = new SocketContext(Map.of("jwarp.rdmap.extensions", "off"));
                Ends others = new Ends(StreamProtocol.CREDITS, LEAST);
                SocketChannel one = new JwarpSelectorProvider(() -> plain).openSocketChannel()) {
            one.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS)
                    .setOption(JwarpSocketOptions.ZERO_COPY_BYTES, LEAST)
                    .connect(others.address());
            assertCopies(others, one);
        }
    }

    /** A write that fits into the memory of both ends does not wait for a reader. */
    private static void assertCopies(Ends ends, SocketChannel one) throws Exception {
        try (SocketChannel other = ends.listener.accept()) {
            assertThat(one.write(pattern(2 * LEAST))).isEqualTo(2 * LEAST);
            ByteBuffer into = ByteBuffer.allocateDirect(2 * LEAST);
            while (into.hasRemaining()) {
                other.read(into);
            }
            assertPattern(into);
        }
    }

    @Test
    @DisplayName(
            "that is closed while it reads returns the program's buffer, and the peer gets the bytes that were written before")
    void readerCloses() throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(MUCH);
        far.write(ByteBuffer.wrap(new byte[] {5}));
        Future<Integer> reader = ends.waits(() -> far.read(into)).outcome();
        far.close();
        assertThatThrownBy(() -> Patience.get(reader)).isInstanceOf(AsynchronousCloseException.class);
        ByteBuffer came = ByteBuffer.allocate(10);
        assertThat(near.read(came)).isOne();
        assertThat(near.read(came)).isEqualTo(-1);
        assertThat(into.position()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "that is closed while it writes, or whose thread is interrupted, returns the program's buffer (closed):")
    void writerEnds(boolean close) throws Exception {
        ByteBuffer from = pattern(MUCH);
        Ends.Waiting<Integer> writer = ends.waits(() -> near.write(from));
        if (close) {
            near.close();
        } else {
            writer.thread().interrupt();
        }
        assertThatThrownBy(() -> Patience.get(writer.outcome()))
                .isInstanceOf(close ? AsynchronousCloseException.class : ClosedByInterruptException.class);
        assertThat(from.position()).isZero();
        assertThatThrownBy(() -> {
                    ByteBuffer into = ByteBuffer.allocate(MUCH);
                    while (far.read(into) >= 0) {}
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("reports to a writer that its peer has closed")
    void peerCloses() throws Exception {
        Future<Integer> writer = ends.waits(() -> near.write(pattern(MUCH))).outcome();
        far.close();
        assertThatThrownBy(() -> Patience.get(writer))
                .isInstanceOf(IOException.class)
                .hasMessage("Broken pipe: the peer has closed the connection");
    }

    @Test
    @DisplayName("writes to a peer with shut-down input as to any other")
    void inputShut() throws Exception {
        far.shutdownInput();
        assertThat(near.write(pattern(MUCH))).isEqualTo(MUCH);
        assertThat(far.read(ByteBuffer.allocateDirect(MUCH))).isEqualTo(-1);
        far.write(ByteBuffer.wrap(new byte[1]));
        assertThat(near.read(ByteBuffer.allocateDirect(MUCH))).isOne();
    }

    @Test
    @DisplayName("ends a read in order when the peer's output ends")
    void inputEnds() throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(2 * MUCH);
        Future<Integer> reader = reads(far, into);
        near.write(pattern(MUCH));
        near.shutdownOutput();
        assertThat(Patience.get(reader)).isEqualTo(MUCH);
        assertThat(far.read(into)).isEqualTo(-1);
    }
}
