package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The number of datagrams that the system drops at a socket")
@SuppressWarnings("AddressSelection") // numbers, not names
class SystemDropsTest {
    private static final String TITLES = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"
            + "   uid  timeout inode ref pointer drops            \n";
    private static final String REST =
            " 00000000:0000 07 00000000:00013192 00:00000000 00000000     0        0 2372041 2 0000000099387da6 ";

    @TempDir
    Path folder;

    private SystemDrops of(String four, String six) throws IOException {
        Path v4 = Files.writeString(folder.resolve("udp"), TITLES + four);
        Path v6 = Files.writeString(folder.resolve("udp6"), TITLES + six);
        return new SystemDrops(List.of(v4, v6));
    }

    private static String row(String littleEndian, int port, long drops) {
        StringBuilder address = new StringBuilder();
        for (int i = 0; i < littleEndian.length(); i += 8) {
            int word = Integer.parseUnsignedInt(littleEndian.substring(i, i + 8), 16);
            address.append("%08X"
                    .formatted(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? word : Integer.reverseBytes(word)));
        }
        return "12614: " + address + ":%04X".formatted(port) + REST + drops + "       \n";
    }

    @Test
    @DisplayName("is read from the row of its address: IPv4, IPv6, mapped, or wildcard")
    void rows() throws IOException {
        SystemDrops drops = of(
                row("0100007F", 9000, 3) + row("0A0200C0", 9000, 4) + row("00000000", 9001, 5),
                row("0000000000000000FFFF00000100007F", 9002, 6)
                        + row("00000000000000000000000001000000", 9003, 7)
                        + row("00000000000000000000000000000000", 9004, 8)
                        + row("000080FE00000000FF005450FEFFFE01", 9005, 9_000_000_000L));
        assertThat(drops.of(new InetSocketAddress("127.0.0.1", 9000))).isEqualTo(3);
        assertThat(drops.of(new InetSocketAddress("192.0.2.10", 9000))).isEqualTo(4);
        assertThat(drops.of(new InetSocketAddress("0.0.0.0", 9001))).isEqualTo(5);
        assertThat(drops.of(new InetSocketAddress("127.0.0.1", 9002))).isEqualTo(6);
        assertThat(drops.of(new InetSocketAddress("::1", 9003))).isEqualTo(7);
        assertThat(drops.of(new InetSocketAddress("0.0.0.0", 9004))).isEqualTo(8);
        assertThat(drops.of(new InetSocketAddress("fe80::5054:ff:1fe:fffe", 9005)))
                .isEqualTo(9_000_000_000L);
        assertThat(drops.of(new InetSocketAddress("127.0.0.1", 1))).isEqualTo(SystemDrops.UNKNOWN);
    }

    @Test
    @DisplayName("is summed over the ports of a transport, including closed ones")
    void sum() throws IOException {
        InetSocketAddress first = new InetSocketAddress("127.0.0.1", 9000);
        InetSocketAddress second = new InetSocketAddress("127.0.0.1", 9001);
        SystemDrops drops = of(row("0100007F", 9000, 3) + row("0100007F", 9001, 4), "");
        assertThat(drops.counter().value()).isZero();
        drops.opened(first);
        drops.opened(second);
        assertThat(drops.counter().value()).isEqualTo(7);
        drops.closing(first);
        Files.writeString(folder.resolve("udp"), TITLES + row("0100007F", 9001, 5));
        assertThat(drops.counter().value()).isEqualTo(8);
        drops.opened(first);
        assertThat(drops.counter().value()).as("a port without a row").isEqualTo(SystemDrops.UNKNOWN);
    }

    @Test
    @DisplayName("is unknown if the system has no such files")
    void unknown() {
        SystemDrops drops = new SystemDrops(List.of(folder.resolve("none")));
        assertThat(drops.of(new InetSocketAddress("127.0.0.1", 9000))).isEqualTo(SystemDrops.UNKNOWN);
        assertThat(drops.counter().value()).isEqualTo(SystemDrops.UNKNOWN);
    }

    @Test
    @DisplayName("is that of this system: datagrams sent minus datagrams that can be read")
    void real() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/net/udp")));
        try (DatagramChannel socket = DatagramChannel.open();
                DatagramChannel sender = DatagramChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            InetSocketAddress local = (InetSocketAddress) socket.getLocalAddress();
            SystemDrops drops = new SystemDrops();
            assertThat(drops.of(local)).isZero();
            int sent = 100;
            for (int i = 0; i < sent; i++) {
                sender.send(ByteBuffer.allocate(1_000), local);
            }
            socket.configureBlocking(false);
            AtomicInteger read = new AtomicInteger();
            // The last ones may still be in flight.
            await().until(() -> {
                while (socket.receive(ByteBuffer.allocate(2_000)) != null) {
                    read.incrementAndGet();
                }
                return drops.of(local) == sent - read.get();
            });
            assertThat(drops.of(local)).isPositive();
        }
    }
}
