package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.PEER_NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.engine.EngineRig.Sent;
import dev.jwarp.transport.udp.port.PortServices;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("PATH-PROBE and PATH-REPLY (datagram-iWARP §4.4)")
class PathProbeTest {
    private static final long TOKEN = 0x0123_4567_89ab_cdefL;

    private final EngineRig rig = new EngineRig();

    private static byte[] probe(int destination, int key, boolean reliable, int bodyLength) {
        Shim shim = new Shim()
                .addressed(destination, PEER_NUMBER, key)
                .message(9, bodyLength)
                .flags(false, reliable, false, false);
        return EngineRig.pathProbe(shim, TOKEN, 1_472);
    }

    /** The shortest probe of UD. */
    private static byte[] probe() {
        return probe(NUMBER, KEY, false, PathProbeBody.LEAST_LENGTH);
    }

    @Tag("DG-10-15")
    @Tag("DG-4.4-11")
    @Test
    @DisplayName("the answer to a probe of UD has its token and length, and is not longer")
    void answered() {
        for (int length : new int[] {PathProbeBody.LEAST_LENGTH, 1_444, 65_000}) {
            byte[] probe = probe(NUMBER, KEY, false, length);
            List<Sent> sent = rig.receive(probe, STRANGER);
            assertThat(rig.moved()).containsExactlyInAnyOrder(UdpCounter.RX_PATH_PROBE, UdpCounter.TX_PATH_REPLY);
            assertThat(sent).singleElement().satisfies(answer -> {
                assertThat(answer.to()).isEqualTo(STRANGER);
                assertThat(answer.kind()).isEqualTo(Kind.PATH_REPLY);
                assertThat(answer.octets().length).isEqualTo(60).isLessThanOrEqualTo(probe.length);
                answer.hasShim(new Shim()
                        .addressed(PEER_NUMBER, NUMBER, KEY)
                        .message(9, PathReplyBody.LENGTH)
                        .flags(true, false, false, false));
                PathReplyBody body = answer.pathReply();
                assertThat(body.token()).isEqualTo(TOKEN);
                assertThat(body.lengthReceived()).isEqualTo(probe.length);
                assertThat(body.largestPayload()).isEqualTo(DatagramLength.LARGEST);
                assertThat(body.features()).isZero();
            });
        }
        assertThat(rig.upper.received).as("nothing is delivered").isEmpty();
    }

    @Tag("DG-6-12")
    @Test
    @DisplayName("an answer has the number of DATA datagrams of UD from the prober, from 1 at its first probe")
    void counts() {
        byte[] probe = probe();
        rig.receiveFrom(STRANGER); // before the first probe
        assertThat(told(probe)).isEqualTo(1);
        rig.receiveFrom(STRANGER);
        rig.receive(EngineRig.data(EngineRig.shim(NUMBER, KEY + 1)), STRANGER);
        rig.receiveFrom(LOOPBACK); // of another source
        rig.upper.wantsNext = true;
        rig.receiveJoined(
                STRANGER,
                IntStream.range(0, 3)
                        .mapToObj(i -> EngineRig.data(
                                EngineRig.shim(NUMBER, KEY).message(7, 20).segment(i, 5)))
                        .toArray(byte[][]::new));
        assertThat(rig.upper.nexts).as("accepted by the fast path").isEqualTo(2);
        assertThat(told(probe)).isEqualTo(1 + 1 + 3);
    }

    private int told(byte[] probe) {
        return rig.receive(probe, STRANGER).get(0).pathReply().datagramsReceived();
    }

    @Test
    @DisplayName("a probe with a wrong Q_Key, or of the other service, is dropped without an answer")
    void dropped() {
        rig.receiveSilently(probe(NUMBER, KEY + 1, false, PathProbeBody.LEAST_LENGTH), LOOPBACK, UdpCounter.RX_KEY);
        rig.receiveSilently(probe(NUMBER, KEY, true, PathProbeBody.LEAST_LENGTH), LOOPBACK, UdpCounter.RX_QP_TYPE);
        rig.attach(DatagramService.RD, 0x4444, KEY, false, new ToyUpper(0x4444));
        rig.receiveSilently(probe(0x4444, KEY, false, PathProbeBody.LEAST_LENGTH), LOOPBACK, UdpCounter.RX_QP_TYPE);
    }

    @Test
    @DisplayName("an unsolicited answer is dropped, whatever its Key")
    void unasked() {
        rig.upper.asked = (shim, source) -> true;
        byte[] reply = EngineRig.reply(Kind.PATH_REPLY, NUMBER, KEY, new byte[PathReplyBody.LENGTH]);
        rig.receiveSilently(reply, LOOPBACK, UdpCounter.RX_REPLY_UNMATCHED);
        assertThat(rig.upper.received).isEmpty();
    }

    @Tag("DG-10-18")
    @Test
    @DisplayName("one source gets 1,000 answers a second, without loss for others")
    void limited() {
        byte[] probe = probe();
        assertThat(rig.answers(probe, STRANGER, 1_500)).isEqualTo(AnswerSources.PATH_REPLIES_PER_SOURCE);
        assertThat(rig.counters.get(UdpCounter.TX_LIMITED)).isEqualTo(500);
        assertThat(rig.receive(probe, LOOPBACK)).hasSize(1);
        rig.now += TimeUnit.SECONDS.toNanos(2);
        assertThat(rig.receive(probe, STRANGER)).hasSize(1);
    }

    @Test
    @DisplayName("the answers to several probes in one read are together not longer than the probes")
    void together() {
        assertThat(rig.receiveJoined(STRANGER, probe(), probe()))
                .as("each answer has headers of its own, and the two may have come as one datagram")
                .hasSize(1);
    }

    @Test
    @DisplayName("the answer to a probe of RD has the tag of the prober, and flag D")
    void reliable() {
        rig.attach(DatagramService.RD, 0x4444, KEY, false, new ToyUpper(0x4444));
        PortServices port = Objects.requireNonNull(rig.reliable.port);
        byte[] octets = probe(0x4444, 77, true, PathProbeBody.LEAST_LENGTH);
        port.answerProbe(new Sent(STRANGER, octets, false).parsed(), 88, true, 0, rig.now);
        assertThat(rig.send()).singleElement().satisfies(answer -> {
            assertThat(answer.parsed().shim().key()).isEqualTo(88);
            assertThat(answer.shim().reliable()).isTrue();
        });
    }
}
