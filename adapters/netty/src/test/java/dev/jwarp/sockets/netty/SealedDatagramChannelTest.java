package dev.jwarp.sockets.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sockets.SocketMode;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A datagram channel of Netty on a loop with keys")
@SuppressWarnings("FutureReturnValueIgnored") // failures are seen at the other end
class SealedDatagramChannelTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Loops loops = new Loops();
    private final KeptDatagrams nearKept = new KeptDatagrams();
    private final KeptDatagrams farKept = new KeptDatagrams();

    private EventLoopGroup keyed;
    private JwarpDatagramChannel near;
    private JwarpDatagramChannel far;

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "7 send hex:000102030405060708090a0b0c0d0e0f any\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        keyed = loops.of(2, Map.of("jwarp.udp.keys", keys.toString()));
        near = bound(bootstrap(keyed, nearKept));
        far = bound(bootstrap(keyed, farKept));
    }

    @AfterEach
    void end() throws InterruptedException {
        loops.close();
        nearKept.release();
        farKept.release();
    }

    private static Bootstrap bootstrap(EventLoopGroup group, KeptDatagrams kept) {
        return new Bootstrap().group(group).channel(JwarpDatagramChannel.class).handler(kept);
    }

    private static JwarpDatagramChannel bound(Bootstrap bootstrap) throws InterruptedException {
        return (JwarpDatagramChannel) bootstrap.bind(ANY).sync().channel();
    }

    private static DatagramPacket packet(String text, JwarpDatagramChannel to) {
        return new DatagramPacket(
                Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII), Objects.requireNonNull(to.localAddress()));
    }

    @Test
    @DisplayName("talks to peers with the keys, and receives neither plain datagrams nor those of peers without keys")
    void hears() throws Exception {
        JwarpDatagramChannel bare = bound(bootstrap(loops.of(1), new KeptDatagrams()));
        try (DatagramSocket plain = new DatagramSocket(ANY)) {
            plain.send(new java.net.DatagramPacket(new byte[] {1}, 1, far.localAddress()));
        }
        bare.writeAndFlush(packet("without a key", far)).sync();

        near.writeAndFlush(packet("with the key", far));
        assertThat(farKept.next()).isEqualTo("with the key");
        far.writeAndFlush(packet("likewise", near));
        assertThat(nearKept.next()).isEqualTo("likewise");
    }

    @Test
    @DisplayName("fails datagrams that an option sends as plain UDP, with a reason, and continues")
    void sendsNoPlainDatagram() throws Exception {
        KeptDatagrams kept = new KeptDatagrams();
        JwarpDatagramChannel wrong = bound(bootstrap(keyed, kept).option(JwarpChannelOption.MODE, SocketMode.TCP));

        ChannelFuture refused = wrong.writeAndFlush(packet("plain", far)).await();

        assertThat(refused.cause())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("plain UDP for (address)")
                .hasMessageContaining("jwarp.udp.keys is set");
        far.writeAndFlush(packet("it still hears", wrong));
        assertThat(kept.next()).isEqualTo("it still hears");
    }

    @Test
    @DisplayName("frees its port when it is closed")
    void portIsFree() throws Exception {
        InetSocketAddress where = Objects.requireNonNull(far.localAddress());
        far.close().sync();
        assertThat(bootstrap(keyed, new KeptDatagrams())
                        .bind(where)
                        .sync()
                        .channel()
                        .localAddress())
                .isEqualTo(where);
    }
}
