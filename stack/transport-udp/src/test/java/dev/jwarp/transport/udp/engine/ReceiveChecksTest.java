package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static dev.jwarp.transport.udp.engine.EngineRig.data;
import static dev.jwarp.transport.udp.engine.EngineRig.datagram;
import static dev.jwarp.transport.udp.engine.EngineRig.reply;
import static dev.jwarp.transport.udp.engine.EngineRig.shim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.RdExtension;
import dev.jwarp.transport.udp.wire.RdOpenBody;
import dev.jwarp.transport.udp.wire.Samples;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Checks 6 to 9 of datagram-iWARP §5")
class ReceiveChecksTest {
    private static final int RELIABLE = 0x4444;
    private static final int NOBODY = 0x7777;
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.1.2.3", 9100);

    private final EngineRig rig = new EngineRig();

    @BeforeEach
    void attachReliable() {
        rig.attach(DatagramService.RD, RELIABLE, KEY, false, new ToyUpper(RELIABLE));
    }

    private static byte[] group(int destination, int key) {
        return data(shim(destination, key).flags(false, false, true, false));
    }

    private static byte[] reliable(int destination) {
        ByteBuffer behind = ByteBuffer.allocate(RdExtension.LENGTH + ToyUpper.HEADER + 5);
        Samples.view(new RdExtension(), behind, 0).set(1, 1, 16);
        behind.putShort(RdExtension.LENGTH, (short) 0x4143);
        return datagram(Kind.DATA, shim(destination, KEY).flags(false, true, false, false), 0, behind.array());
    }

    private static byte[] rdOpen(int destination) {
        ByteBuffer body = ByteBuffer.allocate(RdOpenBody.LENGTH);
        body.putInt(0, 5).putShort(12, (short) 16);
        Shim shim =
                new Shim().addressed(destination, EngineRig.PEER_NUMBER, KEY).message(7, RdOpenBody.LENGTH);
        return datagram(Kind.RD_OPEN, shim, 0, body.array());
    }

    private static byte[] resolve(int destination, int key) {
        return EngineRig.resolve(destination, key, 7, 42);
    }

    private static byte[] versionList(int destination) {
        Shim shim = new Shim()
                .addressed(destination, EngineRig.PEER_NUMBER, KEY)
                .message(0, ShimHeader.VERSIONS)
                .flags(true, false, false, false);
        return datagram(Kind.VERSION_LIST, shim, 0, new byte[0]);
    }

    static Stream<Arguments> dropped() {
        byte[] notify = new byte[NotifyBody.LENGTH];
        byte[] cookie = new byte[CookieBody.LENGTH];
        Shim answer = shim(NUMBER, KEY).flags(true, false, false, false);
        UdpCounter unmatched = UdpCounter.RX_REPLY_UNMATCHED;
        return Stream.of(
                Arguments.of("6: G on a port's own socket", group(Shim.GROUP_QPN, KEY), UdpCounter.RX_GROUP),
                Arguments.of("7: no such queue pair", data(shim(NOBODY, KEY)), UdpCounter.RX_QPN),
                Arguments.of("7: no default queue pair", data(shim(Shim.DEFAULT_QPN, KEY)), UdpCounter.RX_QPN),
                Arguments.of("7: a reserved number", data(shim(2, KEY)), UdpCounter.RX_QPN),
                Arguments.of("7: the group's number without G", data(shim(Shim.GROUP_QPN, KEY)), UdpCounter.RX_QPN),
                Arguments.of("7: no resolver", resolve(Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY), UdpCounter.RX_QPN),
                Arguments.of("7: NOTIFY to no queue pair", reply(Kind.NOTIFY, NOBODY, KEY, notify), UdpCounter.RX_QPN),
                Arguments.of("8: reliable DATA for UD", reliable(NUMBER), UdpCounter.RX_QP_TYPE),
                Arguments.of("8: DATA for RD without D", data(shim(RELIABLE, KEY)), UdpCounter.RX_QP_TYPE),
                Arguments.of("8: RD-OPEN for UD", rdOpen(NUMBER), UdpCounter.RX_QP_TYPE),
                Arguments.of("8: NOTIFY for RD", reply(Kind.NOTIFY, RELIABLE, KEY, notify), UdpCounter.RX_QP_TYPE),
                Arguments.of("8: RESOLVE for a queue pair", resolve(NUMBER, KEY), UdpCounter.RX_QP_TYPE),
                Arguments.of("9: wrong Q_Key", data(shim(NUMBER, KEY + 1)), UdpCounter.RX_KEY),
                Arguments.of("9: an unsolicited answer", data(answer), unmatched),
                Arguments.of("9: an unsolicited NOTIFY", reply(Kind.NOTIFY, NUMBER, KEY, notify), unmatched),
                Arguments.of("9: an unsolicited CHALLENGE", reply(Kind.CHALLENGE, NUMBER, KEY, cookie), unmatched),
                Arguments.of("3: an unsolicited VERSION LIST", versionList(NUMBER), UdpCounter.RX_VERSION),
                Arguments.of("3: a VERSION LIST to no queue pair", versionList(NOBODY), UdpCounter.RX_VERSION));
    }

    @Tag("DG-4.1-6")
    @Test
    @DisplayName("check 2: several datagrams in one have a wrong CRC; with UDP_GRO each is checked alone")
    void severalInOne() {
        byte[] one = data(shim(NUMBER, KEY));
        byte[] wrong = one.clone();
        wrong[30] ^= 1;
        rig.receiveSilently(EngineRig.joined(one, one), LOOPBACK, UdpCounter.RX_CRC);
        assertThat(rig.upper.received).isEmpty();
        rig.receiveJoined(LOOPBACK, one, wrong, one, new byte[20]);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_SHORT, UdpCounter.RX_CRC);
        assertThat(rig.counters.get(UdpCounter.RX_DATAGRAMS)).isEqualTo(1 + 4);
        assertThat(rig.upper.received).hasSize(2);
    }

    @Tag("DG-15-1")
    @Test
    @DisplayName("check 7: a UD queue pair in the error state does not exist, whatever the Key")
    void errorState() {
        rig.upper.working = false;
        rig.receiveSilently(data(shim(NUMBER, KEY)), LOOPBACK, UdpCounter.RX_QPN);
        rig.receiveSilently(data(shim(NUMBER, KEY + 1)), LOOPBACK, UdpCounter.RX_QPN);
        assertThat(rig.upper.received).isEmpty();
        rig.upper.working = true;
        rig.receiveFrom(LOOPBACK);
        assertThat(rig.upper.received).hasSize(1);
    }

    @Tag("DG-5.1-6")
    @Tag("DG-5.1-7")
    @Tag("DG-5.1-8")
    @Tag("DG-5.1-9")
    @Tag("DG-5.1-10")
    @ParameterizedTest(name = "{0}")
    @MethodSource("dropped")
    @DisplayName("drop silently, count once, and deliver nothing to the layer above:")
    void dropsSilently(String name, byte[] datagram, UdpCounter counter) {
        rig.receiveSilently(datagram, LOOPBACK, counter);
        assertThat(rig.upper.received).isEmpty();
        assertThat(rig.upper.events).containsExactly("attached");
        assertThat(rig.reliable.kinds).isEmpty();
    }

    @Tag("DG-9.1-4")
    @Test
    void takeWhatIsForTheQueuePair() {
        rig.receiveSilently(data(shim(NUMBER, KEY)), STRANGER);
        assertThat(rig.upper.received).singleElement().satisfies(segment -> {
            assertThat(segment.source()).isEqualTo(STRANGER);
            assertThat(segment.sourceQpn()).isEqualTo(EngineRig.PEER_NUMBER);
            assertThat(segment.messageId()).isEqualTo(7);
            assertThat(segment.payload()).hasSize(5);
        });
    }

    @Tag("DG-4.2-7")
    @Test
    void takeWhatIsForTheDefaultQueuePairWithItsKey() {
        ToyUpper other = new ToyUpper(99);
        rig.attach(DatagramService.UD, 99, 5, true, other);
        rig.receiveSilently(data(shim(Shim.DEFAULT_QPN, 5)), LOOPBACK);
        assertThat(other.received).hasSize(1);
        rig.receiveSilently(data(shim(Shim.DEFAULT_QPN, KEY)), LOOPBACK, UdpCounter.RX_KEY);
    }

    @Test
    void giveReliableKindsToReliableQueuePairsOnly() {
        rig.receive(reliable(RELIABLE), LOOPBACK);
        rig.receive(rdOpen(RELIABLE), LOOPBACK);
        rig.receive(reply(Kind.CHALLENGE, RELIABLE, KEY, new byte[CookieBody.LENGTH]), LOOPBACK);
        assertThat(rig.moved()).isEmpty();
        assertThat(rig.reliable.kinds).containsExactly(Kind.DATA, Kind.RD_OPEN, Kind.CHALLENGE);
    }

    @Tag("DG-4.4-8")
    @Test
    @DisplayName("accept any window, 65,535 too")
    void takeAnyWindow() {
        for (byte[] octets : new byte[][] {rdOpen(RELIABLE), reliable(RELIABLE)}) {
            boolean open = octets.length == ShimHeader.LENGTH + RdOpenBody.LENGTH + Crc.LENGTH;
            ByteBuffer datagram = ByteBuffer.wrap(octets);
            datagram.putShort(
                    ShimHeader.LENGTH + (open ? RdOpenBody.WINDOW_OFFSET : RdExtension.WINDOW_OFFSET), (short) 0xffff);
            new Crc().seal(datagram, 0, octets.length - Crc.LENGTH);
            rig.receiveSilently(octets, LOOPBACK);
        }
        assertThat(rig.reliable.kinds).containsExactly(Kind.RD_OPEN, Kind.DATA);
    }

    @Tag("DG-4.2-7")
    @Test
    @DisplayName("have no reliable queue pair behind number 0")
    void haveNoReliableQueuePairBehindNumberZero() {
        assertThatThrownBy(() -> rig.attach(DatagramService.RD, 0x5555, KEY, true, new ToyUpper(0x5555)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("default");
        rig.attach(DatagramService.UD, 99, KEY, true, new ToyUpper(99));
        rig.receiveSilently(rdOpen(Shim.DEFAULT_QPN), LOOPBACK, UdpCounter.RX_QP_TYPE);
    }

    @Tag("DG-5.1-10")
    @Tag("DG-5.5-1")
    @Test
    void handUpWhatAnswersAQuestion() {
        rig.upper.asked = (shim, source) -> shim.messageId() == 7
                && shim.key() == KEY
                && shim.sourceQpn() == EngineRig.PEER_NUMBER
                && source.equals(LOOPBACK);
        rig.receive(reply(Kind.NOTIFY, NUMBER, KEY, new byte[] {0x12, 5, 0, 0}), LOOPBACK);
        rig.receive(reply(Kind.CHALLENGE, NUMBER, KEY, new byte[CookieBody.LENGTH]), LOOPBACK);
        rig.receive(data(shim(NUMBER, KEY).flags(true, false, false, false)), LOOPBACK);
        assertThat(rig.moved()).isEmpty();
        assertThat(rig.upper.events).containsExactly("attached", "notify 7 12050000", "challenge 7");
        assertThat(rig.upper.received).singleElement().matches(ToyUpper.Received::reply);
        byte[] elsewhere = reply(Kind.NOTIFY, NUMBER, KEY, new byte[] {0x12, 5, 0, 0});
        rig.receiveSilently(elsewhere, STRANGER, UdpCounter.RX_REPLY_UNMATCHED);
    }

    @Tag("DG-4.7-6")
    @Test
    void handUpAVersionListThatAnswersARecentSend() {
        rig.upper.asked = (shim, source) -> source.equals(LOOPBACK);
        rig.receiveSilently(versionList(NUMBER), LOOPBACK);
        assertThat(rig.upper.events).endsWith("versions " + ShimHeader.VERSIONS);
    }

    @Tag("DG-5.1-8")
    @Tag("DG-5.1-9")
    @Test
    void refuseAWrongKeyOfTheResolverAndKindsThatItDoesNotTake() {
        rig.engine.port().listen(42, ServiceAnswer.without(ServiceStatus.REFUSED, new byte[0]));
        byte[] notify = new byte[NotifyBody.LENGTH];
        rig.receiveSilently(resolve(Shim.RESOLVER_QPN, KEY), LOOPBACK, UdpCounter.RX_KEY);
        rig.receiveSilently(data(shim(Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY)), LOOPBACK, UdpCounter.RX_QP_TYPE);
        rig.receiveSilently(
                reply(Kind.NOTIFY, Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY, notify),
                LOOPBACK,
                UdpCounter.RX_QP_TYPE);
    }

    @Tag("DG-G.4-1")
    @Tag("DG-G.2-2")
    @Tag("DG-G.4-2")
    @Test
    void takeFromAGroupWhatIsToTheGroupAndNothingElse() {
        rig.engine.port().join(NUMBER, GROUP, null, 77);
        DatagramAddress joined = rig.joined.get(0);
        rig.receive(group(Shim.GROUP_QPN, 77), LOOPBACK, joined, false);
        assertThat(rig.moved()).isEmpty();
        // datagram-iWARP §G.4: datagrams to a group prove no source address.
        assertThat(rig.upper.received).singleElement().matches(segment -> !segment.validated());
        rig.receive(data(shim(NUMBER, KEY)), LOOPBACK, joined, false);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_GROUP);
        rig.receive(group(NUMBER, 77), LOOPBACK, joined, false);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_QPN);
        rig.receive(group(Shim.GROUP_QPN, KEY), LOOPBACK, joined, false);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_KEY);
        assertThat(rig.upper.received).hasSize(1);
    }

    @Test
    void takeNothingForAQueuePairThatHasLeft() {
        rig.upper.lower().detach();
        assertThat(rig.upper.events).endsWith("detached");
        rig.receiveSilently(data(shim(NUMBER, KEY)), LOOPBACK, UdpCounter.RX_QPN);
        rig.upper.lower().detach(); // a second call has no effect
        assertThat(rig.upper.events).containsOnlyOnce("detached");
    }
}
