package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.Allocated;
import dev.jwarp.transport.udp.engine.ToyUpper;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A round trip of datagrams over java.nio")
class NioAllocationTest {
    private static final int ROUNDS = 2_000;

    /** The JDK's selector allocates a boxed descriptor of 16 bytes for each ready key. */
    private static final int BOXED_DESCRIPTOR = 16;

    /** {@code DatagramChannel.receive} allocates an address when the sender changes. */
    private static final int ADDRESS = 160;

    @ParameterizedTest(name = "{0}, {1} bytes, {2} peers in turn")
    @CsvSource({"spin, 64, 1", "spin, 1400, 1", "select, 64, 1", "spin, 64, 2"})
    @DisplayName("allocates nothing with one sender, and an address at each change of the sender")
    void allocatesNothing(String mode, int length, int peers) {
        Map<String, String> settings = Map.of("jwarp.progress.wait", mode);
        try (DatagramTransport left = new NioDatagramTransportProvider().open(settings);
                DatagramTransport right = new NioDatagramTransportProvider().open(settings)) {
            Echo[] clients = new Echo[peers];
            for (int i = 0; i < peers; i++) {
                clients[i] = new Echo(left, 20 + i, length);
            }
            Echo server = new Echo(right, 17, length);
            run(clients, server, left, right, 4_000);
            int allowed = (mode.equals("select") ? 2 * BOXED_DESCRIPTOR : 0) + (peers > 1 ? ADDRESS : 0);
            long enough = (allowed + 1L) * ROUNDS - 1;
            long least = Allocated.least(5, enough, () -> run(clients, server, left, right, ROUNDS));
            assertThat(least / ROUNDS).isLessThanOrEqualTo(allowed);
        }
    }

    private static void run(Echo[] clients, Echo server, DatagramTransport left, DatagramTransport right, int rounds) {
        for (int i = 0; i < rounds; i++) {
            Echo client = clients[i % clients.length];
            int wanted = client.segments + 1;
            client.ask(server);
            while (client.segments < wanted) {
                left.poll();
                right.poll();
            }
        }
    }

    /** Sends on request, and echoes if it is the server; allocates nothing itself. */
    private static final class Echo extends ToyUpper implements OutboundMessage {
        final DatagramPort port;
        final DatagramPeer peer = new DatagramPeer();
        final Shim shim = new Shim();
        final ByteBuffer payload;
        int segments;
        int unsent;

        Echo(DatagramTransport transport, int number, int length) {
            super(number);
            payload = ByteBuffer.allocateDirect(length);
            port = transport.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            port.attach(DatagramService.UD, number, 5, false, this);
        }

        void ask(Echo server) {
            if (peer.queuePairNumber() == 0) {
                peer.set(DatagramAddress.of(server.port.localAddress()), server.number, 5, 1_472);
            }
            unsent++;
            lower().doorbell();
        }

        @Override
        public SegmentFate onSegment(ReceivedDatagram segment, long nowNanos) {
            segments++;
            if (number == 17) {
                peer.set(segment.source(), segment.shim().sourceQpn(), 5, 1_472);
                unsent++;
            }
            return SegmentFate.ACCEPTED;
        }

        @Override
        public boolean hasOutput() {
            return unsent > 0;
        }

        @Override
        public boolean pollSegment(SegmentWriter out, long nowNanos) {
            if (unsent == 0 || !out.admits(peer, nowNanos)) {
                return false;
            }
            unsent--;
            shim.addressed(peer.queuePairNumber(), number, peer.key())
                    .message(segments, payload.capacity())
                    .segment(0, payload.capacity());
            int at = out.begin(peer, shim, false, HEADER, payload.capacity());
            out.buffer().putShort(at, (short) 0x4143);
            out.payload(payload, 0, payload.capacity(), true);
            out.end(this);
            return true;
        }
    }
}
