package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.verbs.DroppedSource;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Dropped datagrams")
class DatagramDropsTest {
    @EachDatagramWorld
    @DisplayName("are counted per source, with the name of the counter of the last one")
    void sources(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide target = DatagramSide.on(world, 0);
            DatagramSide stray = DatagramSide.on(world, 1);
            DatagramSide eager = DatagramSide.on(world, 2);
            assertThat(target.queuePair.droppedSources()).isEmpty();

            InetSocketAddress where = target.queuePair.localAddress();
            int wrongKey = ~target.queuePair.key();
            stray.send(1, stray.queuePair.createAddressHandle(where, target.queuePair.number(), wrongKey), 0, 10);
            stray.success();
            world.until("a wrong key", () -> target.counter("rx_key") == 1);
            for (int i = 0; i < 3; i++) {
                eager.send(i, eager.to(target), 0, 10);
                eager.success();
            }
            world.until("no receive", () -> target.counter("no_recv_wr") == 3);

            List<DroppedSource> all = target.queuePair.droppedSources();
            assertThat(all)
                    .containsExactly(
                            new DroppedSource(eager.queuePair.localAddress(), 3, "no_recv_wr"),
                            new DroppedSource(stray.queuePair.localAddress(), 1, "rx_key"));
        }
    }

    @Test
    @DisplayName("of the operating system are counted if the system counts them")
    void system() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/net/udp")));
        try (DatagramWorld world =
                        DatagramWorld.of(DatagramWorld.Kind.INLINE, Map.of("jwarp.udp.receive-buffer", "4096"));
                DatagramSocket stranger = new DatagramSocket()) {
            DatagramSide target = DatagramSide.on(world, 0);
            assertThat(target.queuePair.systemDrops()).hasValue(0);
            byte[] octets = new byte[1_000];
            int sent = 100;
            for (int i = 0; i < sent; i++) { // no thread polls, so no datagram is read
                stranger.send(new DatagramPacket(octets, octets.length, target.queuePair.localAddress()));
            }
            world.until(
                    "all that was kept",
                    () -> target.counter("rx_datagrams")
                            == sent - target.queuePair.systemDrops().orElseThrow());
            long dropped = target.queuePair.systemDrops().orElseThrow();
            assertThat(dropped).isBetween(1L, sent - 1L);
            assertThat(target.counter("rx_system_drops")).isEqualTo(dropped);
            target.queuePair.close();
            assertThat(target.counter("rx_system_drops"))
                    .as("even after the port is closed")
                    .isEqualTo(dropped);
        }
    }
}
