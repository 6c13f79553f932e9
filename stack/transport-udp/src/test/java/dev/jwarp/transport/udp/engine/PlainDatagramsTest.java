package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static dev.jwarp.transport.udp.engine.EngineRig.data;
import static dev.jwarp.transport.udp.engine.EngineRig.peer;
import static dev.jwarp.transport.udp.engine.EngineRig.shim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.engine.EngineRig.Sent;
import dev.jwarp.transport.udp.wire.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Plain datagrams at a port of datagram-iWARP")
class PlainDatagramsTest {
    private static final Map<String, String> ONE_BY_ONE = Map.of("jwarp.udp.segmentation", "send");
    private static final byte[] LONG =
            ascii("a plain datagram that is as long as one of datagram-iWARP, and much longer, with another CRC");

    private final EngineRig rig = new EngineRig(ONE_BY_ONE, true);
    private final List<String> came = new ArrayList<>();

    private void take() {
        rig.engine.port().takePlain((in, offset, length, source) -> {
            byte[] octets = new byte[length];
            in.get(offset, octets);
            came.add(new String(octets, StandardCharsets.US_ASCII) + " from " + source);
        });
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    @DisplayName("are delivered to the program, short or long, also of groups, beside datagrams of datagram-iWARP")
    void taken() {
        take();
        rig.receiveSilently(ascii("short"), STRANGER, UdpCounter.RX_PLAIN);
        rig.receiveSilently(LONG, STRANGER, UdpCounter.RX_PLAIN);
        rig.receive(LONG, STRANGER, DatagramAddress.of(new InetSocketAddress("239.1.2.3", 9)), false);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_PLAIN);
        rig.receiveFrom(LOOPBACK);
        rig.receiveSilently(data(shim(NUMBER + 1, KEY)), LOOPBACK, UdpCounter.RX_QPN);

        String all = new String(LONG, StandardCharsets.US_ASCII) + " from " + STRANGER;
        assertThat(came).containsExactly("short from " + STRANGER, all, all);
        assertThat(rig.upper.received).hasSize(1);
    }

    @Test
    @DisplayName("are dropped and counted without a receiver")
    void dropped() {
        rig.receiveSilently(LONG, STRANGER, UdpCounter.RX_CRC);
        take();
        rig.engine.port().takePlain(null);
        rig.receiveSilently(ascii("short"), STRANGER, UdpCounter.RX_SHORT);
        assertThat(came).isEmpty();
    }

    @Test
    @DisplayName("cannot be received with UDP_GRO")
    void refused() {
        assertThatThrownBy(() -> new EngineRig(Map.of("jwarp.udp.segmentation", "on"), true)
                        .engine
                        .port()
                        .takePlain((in, offset, length, source) -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("set jwarp.udp.segmentation=send");
    }

    @Test
    @DisplayName("are sent in order, before those of queue pairs, unchanged, and IP may fragment them")
    void sent() {
        rig.upper.post(peer(LOOPBACK), 1, 1);
        assertThat(rig.engine.port().sendPlain(ByteBuffer.wrap(ascii("one")), STRANGER))
                .isTrue();
        ByteBuffer two = ByteBuffer.wrap(LONG);
        assertThat(rig.engine.port().sendPlain(two, LOOPBACK)).isTrue();
        assertThat(two.hasRemaining()).isFalse();

        List<Sent> out = rig.send();

        assertThat(out).hasSize(3);
        assertThat(out.get(0).octets()).isEqualTo(ascii("one"));
        assertThat(out.get(0).to()).isEqualTo(STRANGER);
        assertThat(out.get(0).mayBeCut()).isTrue();
        assertThat(out.get(1).octets()).isEqualTo(LONG);
        assertThat(out.get(1).to()).isEqualTo(LOOPBACK);
        assertThat(out.get(2).kind()).isEqualTo(Kind.DATA);
        assertThat(rig.counters.get(UdpCounter.TX_PLAIN)).isEqualTo(2);
    }

    @Test
    @DisplayName("that the system will never take are lost, and the others are sent")
    void unsendable() {
        rig.largest = 10;
        rig.engine.port().sendPlain(ByteBuffer.wrap(LONG), STRANGER);
        rig.engine.port().sendPlain(ByteBuffer.wrap(ascii("next")), STRANGER);
        assertThat(rig.send()).extracting(Sent::octets).containsExactly(ascii("next"));
        assertThat(rig.counters.get(UdpCounter.TX_UNSENDABLE)).isOne();
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 0, 65507", "127.0.0.1, 65508, 65507", "::1, 0, 65527", "::1, 65528, 65527"})
    @DisplayName("have the lengths of UDP over that version of IP")
    void lengths(String host, int length, int most) {
        DatagramAddress to = DatagramAddress.of(new InetSocketAddress(host, 9));
        assertThatThrownBy(() -> rig.engine.port().sendPlain(ByteBuffer.allocate(length), to))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a plain datagram has 1 to " + most + " bytes, not " + length);
        assertThat(rig.engine.port().sendPlain(ByteBuffer.allocate(most), to)).isTrue();
    }

    /** Positive steps add a datagram of that length; others send one. */
    @Property(tries = 300)
    void waitInOrderAndBounded(@ForAll @Size(max = 600) List<@IntRange(min = -40_000, max = 65_507) Integer> steps) {
        PlainQueue queue = new PlainQueue();
        Queue<byte[]> model = new ArrayDeque<>();
        DatagramBatch out = new DatagramBatch();
        byte next = 0;
        for (int step : steps) {
            if (step <= 0) {
                assertThat(queue.next(out)).isEqualTo(!model.isEmpty());
                out.memory().limit(Math.min(out.memory().capacity(), out.offset() + out.length())); // as drivers do
                if (!model.isEmpty()) {
                    byte[] octets = new byte[out.length()];
                    out.memory().get(out.offset(), octets);
                    assertThat(octets).isEqualTo(model.remove());
                    queue.done();
                }
                continue;
            }
            byte[] octets = new byte[step];
            Arrays.fill(octets, ++next);
            boolean taken = queue.add(ByteBuffer.wrap(octets), STRANGER);
            if (taken) {
                model.add(octets);
            }
            assertThat(taken || model.size() > 1).as("room for two at least").isTrue();
        }
    }
}
