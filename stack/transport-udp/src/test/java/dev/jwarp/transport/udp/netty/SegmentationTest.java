package dev.jwarp.transport.udp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.NotRun;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DatagramSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** UDP_SEGMENT and UDP_GRO, which make large messages fast. */
class SegmentationTest {
    private static final int SIZE = 1_472;
    private static final int COUNT = 44;

    private static Socket open(boolean gro) throws IOException {
        Socket socket =
                EpollSocket.port(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), UdpSettings.of(Map.of()));
        if (gro) {
            new EpollSocket(socket, true).coalesce();
        }
        return socket;
    }

    private static int largestRead(boolean gro) throws IOException {
        Socket from = open(false);
        Socket to = open(gro);
        try {
            NotRun.unless(new EpollSocket(from, true).segment(SIZE), "this kernel has no UDP_SEGMENT");
            ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
            int sent = from.sendTo(
                    memory,
                    0,
                    COUNT * SIZE,
                    to.localAddress().getAddress(),
                    to.localAddress().getPort());
            assertThat(sent).isEqualTo(COUNT * SIZE);
            int largest = 0;
            int all = 0;
            while (all < sent) {
                DatagramSocketAddress read = to.recvFrom(memory, 0, memory.capacity());
                if (read != null) { // null: nothing yet
                    largest = Math.max(largest, read.receivedAmount());
                    all += read.receivedAmount();
                }
            }
            return largest;
        } finally {
            from.close();
            to.close();
        }
    }

    @Test
    void oneCallSendsABatchAndOneReadBringsIt() throws IOException {
        NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
        assertThat(largestRead(false)).isEqualTo(SIZE);
        assertThat(largestRead(true)).isEqualTo(COUNT * SIZE);
    }
}
