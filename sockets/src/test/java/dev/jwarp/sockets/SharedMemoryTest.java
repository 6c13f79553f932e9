package dev.jwarp.sockets;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Memory that the peer of a stream writes to")
class SharedMemoryTest {
    private static final int BYTES = 3_000_000;
    private static final long OFFSET = 1L << 40;

    private Ends ends;
    private SocketChannel writer;
    private SocketChannel owner;

    @BeforeEach
    void connect() throws IOException {
        ends = new Ends();
        writer = ends.connecting.openSocketChannel().setOption(JwarpSocketOptions.MAP_SIZE, 2);
        writer.connect(ends.address());
        owner = ends.listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        writer.close();
        owner.close();
        ends.close();
    }

    private static ByteBuffer text(String words) {
        return ByteBuffer.wrap(words.getBytes(US_ASCII));
    }

    /** Waits for earlier writes: they have arrived when a later byte of the stream has. */
    private void settle() throws IOException {
        writer.write(text("."));
        assertThat(owner.read(ByteBuffer.allocate(1))).isOne();
    }

    @Test
    @DisplayName("gets the bytes at the peer's offsets, before bytes that the peer sends afterwards")
    void write() throws IOException {
        ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        try (SharedMemory shared = JwarpSockets.share(owner, memory, OFFSET)) {
            told();
            byte[] much = new byte[BYTES];
            for (int i = 0; i < BYTES; i++) {
                much[i] = (byte) (i * 31 + (i >> 9));
            }
            assertThat(JwarpSockets.write(writer, OFFSET, ByteBuffer.wrap(much)))
                    .isEqualTo(BYTES);
            assertThat(JwarpSockets.write(writer, OFFSET + 10, text("here"))).isEqualTo(4);
            System.arraycopy("here".getBytes(US_ASCII), 0, much, 10, 4);
            settle();
            assertThat(memory).isEqualTo(ByteBuffer.wrap(much));
            assertThat(shared).isNotNull();
        }
    }

    /** Waits until the writer has processed earlier announcements, which arrive before a byte of the stream. */
    private void told() throws IOException {
        owner.write(text("."));
        assertThat(writer.read(ByteBuffer.allocate(1))).isOne();
    }

    @Test
    @DisplayName("may be a part of a buffer; there may be as many ranges as the peer accepts")
    void several() throws IOException {
        ByteBuffer memory = ByteBuffer.allocateDirect(100);
        SharedMemory first = JwarpSockets.share(owner, memory.position(10).limit(20), 0);
        SharedMemory second = JwarpSockets.share(owner, memory.limit(60).position(50), 1000);
        told();
        assertThat(JwarpSockets.write(writer, 0, text("0123456789"))).isEqualTo(10);
        assertThat(JwarpSockets.write(writer, 1003, text("second"))).isEqualTo(6);
        assertThatThrownBy(() -> JwarpSockets.write(writer, 10, text("x")))
                .isInstanceOf(IOException.class)
                .hasMessage("the peer has shared no memory at offset 10");
        settle();
        assertThat(US_ASCII.decode(memory.limit(20).position(10)).toString()).isEqualTo("0123456789");
        assertThat(US_ASCII.decode(memory.limit(59).position(53)).toString()).isEqualTo("second");

        assertThatThrownBy(() -> JwarpSockets.share(owner, memory.clear(), 5000))
                .isInstanceOf(IOException.class)
                .hasMessage("the peer accepts 2 ranges of memory at a time, and all are in use: raise its MAP_SIZE, or"
                        + " RDMA_IOMAPSIZE");
        first.close();
        JwarpSockets.share(owner, memory.clear(), 5000).close();
        second.close();
    }

    @Test
    @DisplayName("cannot be written to once it is closed: the peer is notified")
    void closed() throws IOException {
        ByteBuffer memory = ByteBuffer.allocateDirect(100);
        SharedMemory shared = JwarpSockets.share(owner, memory, OFFSET);
        told();
        JwarpSockets.write(writer, OFFSET, text("x"));
        settle(); // no write may be in flight to memory that is closed
        shared.close();
        told();
        assertThatThrownBy(() -> JwarpSockets.write(writer, OFFSET, text("y")))
                .hasMessage("the peer has shared no memory at offset " + OFFSET);
        settle();
    }

    @Test
    @DisplayName(
            "is taken back from a peer that writes continuously, once the peer has confirmed: the stream continues, and no further byte arrives")
    void stopsFirst() throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(60_000);
        SharedMemory shared = JwarpSockets.share(owner, memory, OFFSET);
        told();
        AtomicBoolean asked = new AtomicBoolean();
        CountDownLatch writes = new CountDownLatch(20);
        Future<?> listening = ends.run(() -> {
            writer.read(ByteBuffer.allocate(1));
            asked.set(true);
            return null;
        });
        Future<?> writing = ends.run(() -> {
            while (!asked.get()) {
                JwarpSockets.write(writer, OFFSET, ByteBuffer.allocate(60_000));
                writes.countDown();
            }
            return writer.write(text("!"));
        });
        assertThat(writes.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        owner.write(text("?"));
        assertThat(owner.read(ByteBuffer.allocate(1))).isOne();
        shared.close();
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, (byte) 3);
        }
        Patience.get(listening);
        Patience.get(writing);
        told();
        settle();
        assertThatThrownBy(() -> JwarpSockets.write(writer, OFFSET, text("y")))
                .hasMessage("the peer has shared no memory at offset " + OFFSET);
        for (int i = 0; i < memory.capacity(); i++) {
            assertThat(memory.get(i)).isEqualTo((byte) 3);
        }
    }

    @Test
    @DisplayName("cannot be shared with a peer that accepts none, nor over TCP, nor by a channel of another provider")
    void refused() throws Exception {
        assertThatThrownBy(() -> JwarpSockets.share(writer, ByteBuffer.allocateDirect(1), 0))
                .hasMessageContaining("the peer accepts 0 ranges");
        assertThatThrownBy(() -> writer.setOption(JwarpSocketOptions.MAP_SIZE, 8193))
                .isInstanceOf(IllegalArgumentException.class);
        try (ServerSocketChannel plain = ServerSocketChannel.open()) {
            plain.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel tcp = ends.connecting.openSocketChannel();
            tcp.setOption(JwarpSocketOptions.MODE, SocketMode.TCP);
            Future<SocketChannel> accepted = ends.run(plain::accept);
            tcp.connect(plain.getLocalAddress());
            assertThatThrownBy(() -> JwarpSockets.write(tcp, 0, text("x")))
                    .isInstanceOf(UnsupportedOperationException.class);
            SocketChannel peer = Patience.get(accepted);
            assertThatThrownBy(() -> JwarpSockets.write(peer, 0, text("x")))
                    .isInstanceOf(IllegalArgumentException.class);
            peer.close();
            tcp.close();
        }
    }

    @Test
    @DisplayName("can be written to also while the stream is full because the peer does not read")
    void besideFullStream() throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        JwarpSockets.share(owner, memory, OFFSET);
        told();
        writer.configureBlocking(false);
        for (int idle = 0; idle < 50; ) {
            idle = writer.write(ByteBuffer.allocate(100_000)) == 0 ? idle + 1 : 0;
        }
        writer.configureBlocking(true);
        Future<Integer> written = ends.run(() -> JwarpSockets.write(writer, OFFSET, ByteBuffer.allocate(BYTES)));
        assertThat(written.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(BYTES);
    }
}
