package dev.jwarp.sockets.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A datagram socket of a context with keys")
class SealedSocketTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int ROOM = 1 << 17;

    private Path keys;
    private DatagramHome home;
    private DatagramEnd far;

    @BeforeEach
    void open(@TempDir Path folder) throws IOException {
        keys = folder.resolve("keys");
        Files.writeString(keys, "7 send hex:000102030405060708090a0b0c0d0e0f any\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> settings = Map.of("jwarp.udp.keys", keys.toString(), "jwarp.udp.segmentation", "send");
        home = new DatagramHome(RdmaProvider.load().device("jwarp0").open(Progress.INLINE, settings));
        far = end(DatagramMode.EITHER, ANY);
    }

    @AfterEach
    void close() {
        home.context().close();
    }

    private DatagramEnd end(DatagramMode mode, InetSocketAddress local) throws IOException {
        return new DatagramEnd(home, ready -> {}, to -> mode, local, ROOM, ROOM);
    }

    private static ByteBuffer[] of(byte... bytes) {
        return new ByteBuffer[] {ByteBuffer.wrap(bytes)};
    }

    /** {@return the first byte of the next datagram} */
    private byte next(DatagramEnd end) {
        ByteBuffer[] into = {ByteBuffer.allocate(10)};
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
            home.context().poll();
            return end.receive(into, 0, 1) >= 0;
        });
        return into[0].get(0);
    }

    @Test
    @DisplayName("receives datagram-iWARP, and no plain datagrams")
    void hears() throws IOException {
        try (DatagramSocket stranger = new DatagramSocket();
                DatagramEnd near = end(DatagramMode.EITHER, ANY)) {
            stranger.send(new DatagramPacket(new byte[] {1}, 1, far.localAddress()));
            near.send(of((byte) 2), 0, 1, far.localAddress());
            assertThat(next(far)).isEqualTo((byte) 2);
            far.send(of((byte) 3), 0, 1, near.localAddress());
            assertThat(next(near)).isEqualTo((byte) 3);
        }
    }

    @Test
    @DisplayName("does not take a copy of a datagram for another socket of the same keys")
    void copies() throws IOException {
        try (DatagramSocket between = new DatagramSocket(ANY);
                DatagramEnd near = end(DatagramMode.EITHER, ANY);
                DatagramEnd other = end(DatagramMode.EITHER, ANY)) {
            between.setSoTimeout(1);
            InetSocketAddress to = (InetSocketAddress) between.getLocalSocketAddress();
            ByteBuffer[] into = {ByteBuffer.allocate(10)};
            near.send(of((byte) 1), 0, 1, to);
            passOn(between, near, List.of(far));
            near.send(of((byte) 2), 0, 1, to);
            passOn(between, near, List.of(far, other));
            // The copy may be read after the datagram itself.
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
                home.context().poll();
                return count("rx_seal_other") > 0;
            });
            assertThat(other.receive(into, 0, 1)).isNegative();
        }
    }

    /** Passes on what comes from the near end, and answers of others, until the far end has got a datagram. */
    private void passOn(DatagramSocket between, DatagramEnd near, List<DatagramEnd> others) {
        ByteBuffer[] into = {ByteBuffer.allocate(10)};
        DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
            home.context().poll();
            try {
                packet.setLength(2_000);
                between.receive(packet);
                boolean out = packet.getSocketAddress().equals(near.localAddress());
                for (DatagramEnd to : out ? others : List.of(near)) {
                    packet.setSocketAddress(to.localAddress());
                    between.send(packet);
                }
                home.context().poll();
            } catch (SocketTimeoutException e) {
                // nothing has come yet
            }
            return far.receive(into, 0, 1) >= 0;
        });
    }

    private long count(String counter) {
        return home.context().counters().stream()
                .filter(one -> one.name().equals(counter))
                .mapToLong(Counter::value)
                .sum();
    }

    @Test
    @DisplayName("goes on with its keys if their file cannot be used any more, and says so to a program that asks")
    void reload() throws IOException {
        home.context().reloadKeys();
        Files.writeString(keys, "7 send");
        assertThatThrownBy(() -> home.context().reloadKeys())
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_SETTING))
                .hasMessageContaining("line 1 has 2 words");
        hears();
        try (Context bare = RdmaProvider.load().device("jwarp0").open(Progress.INLINE, Map.of())) {
            assertThatThrownBy(bare::reloadKeys).hasMessageContaining("jwarp.udp.keys names no file");
        }
    }

    @Test
    @DisplayName("rejects a plain datagram that a rule selects, with the reason")
    void sendsNone() throws IOException {
        try (DatagramEnd near = end(DatagramMode.PLAIN, ANY)) {
            assertThatThrownBy(() -> near.send(of((byte) 1), 0, 1, far.localAddress()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("plain UDP for (address)")
                    .hasMessageContaining("jwarp.udp.keys is set");
        }
    }

    @Test
    @DisplayName("frees its port when it is closed")
    void portIsFree() throws IOException {
        InetSocketAddress where = far.localAddress();
        far.close();
        try (DatagramEnd again = end(DatagramMode.EITHER, where)) {
            assertThat(again.localAddress()).isEqualTo(where);
        }
    }
}
