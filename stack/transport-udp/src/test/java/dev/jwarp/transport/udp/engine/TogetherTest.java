package dev.jwarp.transport.udp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdExtension;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Datagrams joined by the kernel (UDP_GRO)")
class TogetherTest {
    private static final int SIZE = 256;
    private static final int WHOLE = 10 * SIZE;

    private final EngineRig rig = new EngineRig();

    @BeforeEach
    void wants() {
        rig.upper.wantsNext = true;
    }

    private static Shim shim(int index) {
        return new Shim()
                .addressed(EngineRig.NUMBER, EngineRig.PEER_NUMBER, EngineRig.KEY)
                .message(7, WHOLE)
                .segment(index, SIZE);
    }

    private static byte[] datagram(int index) {
        return datagram(shim(index));
    }

    private static byte[] datagram(Shim shim) {
        ByteBuffer segment = ByteBuffer.allocate(ToyUpper.HEADER + SIZE);
        segment.putShort(0, (short) 0x0143);
        return EngineRig.datagram(Kind.DATA, shim, 0, segment.array());
    }

    private void receive(byte[]... datagrams) {
        rig.receiveJoined(EngineRig.STRANGER, datagrams);
    }

    /** Two datagrams of one message, the second with a change: it must pass all checks. */
    private void goesThroughAllChecks(Consumer<Shim> change) {
        Shim second = shim(4);
        change.accept(second);
        receive(datagram(3), datagram(second));
        assertThat(rig.upper.nexts).isZero();
    }

    @Test
    @DisplayName("continue a message by the fast path after the first accepted one, and each is counted")
    void goOn() {
        receive(datagram(0), datagram(1), datagram(2));
        assertThat(rig.upper.received).hasSize(1);
        assertThat(rig.upper.nexts).isEqualTo(2);
        assertThat(rig.counters.get(UdpCounter.RX_DATAGRAMS)).isEqualTo(3);
    }

    @Test
    @DisplayName("pass all checks if the layer above does not want the fast path, and call its settled() once")
    void unwanted() {
        List<String> calls = new ArrayList<>();
        rig.upper.wantsNext = false;
        rig.upper.onReceived = segment -> calls.add("segment");
        rig.upper.onSettled = () -> calls.add("settled after " + rig.upper.polls + " polls");
        receive(datagram(0), datagram(1), datagram(2));
        assertThat(calls).startsWith("segment", "segment", "segment", "settled after 0 polls");
    }

    @Test
    @DisplayName("pass all checks if another field of the shim differs")
    void others() {
        goesThroughAllChecks(shim -> shim.addressed(EngineRig.NUMBER + 1, EngineRig.PEER_NUMBER, EngineRig.KEY));
        goesThroughAllChecks(shim -> shim.addressed(EngineRig.NUMBER, EngineRig.PEER_NUMBER + 1, EngineRig.KEY));
        goesThroughAllChecks(shim -> shim.addressed(EngineRig.NUMBER, EngineRig.PEER_NUMBER, EngineRig.KEY + 1));
        goesThroughAllChecks(shim -> shim.message(8, WHOLE));
        goesThroughAllChecks(shim -> shim.message(7, WHOLE + 1));
        goesThroughAllChecks(shim -> shim.segment(5, SIZE));
        goesThroughAllChecks(shim -> shim.segment(3, SIZE));
        goesThroughAllChecks(shim -> shim.flags(true, false, false, false));
        goesThroughAllChecks(shim -> shim.flags(false, true, false, false));
        goesThroughAllChecks(shim -> shim.flags(false, false, true, false));
        goesThroughAllChecks(shim -> shim.flags(false, false, false, true));
        assertThat(rig.counters.get(UdpCounter.RX_QPN)).isEqualTo(1);
        assertThat(rig.counters.get(UdpCounter.RX_KEY)).isEqualTo(1);
        assertThat(rig.counters.get(UdpCounter.RX_GROUP)).isEqualTo(1);
    }

    @Test
    @DisplayName("do not continue from the highest Segment Index to index 0 of a message that is one byte longer")
    void wrap() {
        long length = 65_536L * SIZE;
        receive(datagram(shim(0xffff).message(7, length)), datagram(shim(0).message(7, length + 1)));
        assertThat(rig.upper.nexts).isZero();
        assertThat(rig.upper.received).hasSize(2);
    }

    @Test
    @DisplayName("are dropped one by one: a wrong CRC or a violation does not affect the others")
    void wrongCrc() {
        byte[] wrong = datagram(1);
        wrong[60] ^= 1;
        receive(datagram(0), wrong, datagram(2), datagram(3));
        assertThat(rig.counters.get(UdpCounter.RX_CRC)).isEqualTo(1);
        assertThat(rig.upper.received).hasSize(2);
        assertThat(rig.upper.nexts).isEqualTo(1);
    }

    @Test
    @DisplayName("pass all checks behind a rejected one, and in the next read")
    void notAccepted() {
        rig.upper.fate = SegmentFate.DROPPED;
        receive(datagram(0), datagram(1));
        rig.upper.fate = SegmentFate.ACCEPTED;
        receive(datagram(2));
        receive(datagram(3));
        rig.upper.onReceived = segment -> rig.upper.fate = SegmentFate.DROPPED;
        receive(datagram(5), datagram(6));
        assertThat(rig.upper.nexts).isZero();
    }

    @Test
    @DisplayName("end with a shorter one")
    void shorter() {
        byte[] whole = datagram(2);
        receive(datagram(0), datagram(1), Arrays.copyOf(whole, whole.length - 8));
        assertThat(rig.upper.nexts).isEqualTo(1);
        assertThat(rig.counters.get(UdpCounter.RX_CRC)).isEqualTo(1);
    }

    @Test
    @DisplayName("pass all checks if they have a cookie")
    void cookie() {
        ByteBuffer behind = ByteBuffer.allocate(CookieBody.LENGTH + ToyUpper.HEADER + SIZE);
        behind.putShort(CookieBody.LENGTH, (short) 0x0143);
        receive(
                EngineRig.datagram(Kind.DATA, shim(0), ShimHeader.COOKIE, behind.array()),
                EngineRig.datagram(Kind.DATA, shim(1), ShimHeader.COOKIE, behind.array()));
        assertThat(rig.upper.received).hasSize(2);
        assertThat(rig.upper.nexts).isZero();
    }

    @Test
    @DisplayName("pass all checks of their channel if they are reliable")
    void reliable() {
        int number = 0x5000;
        rig.attach(DatagramService.RD, number, EngineRig.KEY, false, new ToyUpper(number));
        Shim reliable = shim(0).addressed(number, EngineRig.PEER_NUMBER, 9).flags(false, true, false, false);
        byte[] behind = new byte[RdExtension.LENGTH + ToyUpper.HEADER + SIZE];
        behind[9] = 1; // a window
        behind[RdExtension.LENGTH] = 0x01;
        byte[] first = EngineRig.datagram(Kind.DATA, reliable, 0, behind);
        reliable.segment(1, SIZE);
        receive(first, EngineRig.datagram(Kind.DATA, reliable, 0, behind));
        assertThat(rig.reliable.kinds).containsExactly(Kind.DATA, Kind.DATA);
    }
}
