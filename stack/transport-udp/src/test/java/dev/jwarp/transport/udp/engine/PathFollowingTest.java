package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.PEER_NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.engine.EngineRig.Sent;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A peer whose path MTU is searched")
class PathFollowingTest {
    private static final int SHORT = 8;

    private final EngineRig rig = new EngineRig();
    private final DatagramPeer peer = unknown(STRANGER);

    @BeforeEach
    void system() {
        system(rig);
    }

    private static void system(EngineRig of) {
        of.interfaceMtu = 9_000;
        of.routeMtu = 9_000;
        of.keepsWhole = true;
        of.upper.asksSize = true;
    }

    private static DatagramPeer unknown(DatagramAddress where) {
        return new DatagramPeer().set(where, PEER_NUMBER, KEY, 0);
    }

    private List<Sent> post(DatagramPeer to) {
        rig.upper.post(to, 1, SHORT);
        return rig.send();
    }

    private void answer(Sent probe, int length) {
        rig.receive(EngineRig.pathReply(probe, length, 0), STRANGER);
    }

    @Tag("DG-4.4-10")
    @Tag("DG-6-14")
    @Test
    @DisplayName("gets 1,500 bytes at first; a probe of this length follows the first datagram, then a larger one")
    void probes() {
        List<Sent> sent = post(peer);
        assertThat(peer.maximumDatagram()).isEqualTo(1_472);
        assertThat(sent).hasSize(2);
        Sent probe = sent.get(1);
        assertThat(probe.kind()).isEqualTo(Kind.PATH_PROBE);
        assertThat(probe.octets()).hasSize(1_472);
        assertThat(probe.mayBeCut()).isFalse();
        assertThat(probe.parsed().shim().key()).isEqualTo(KEY);
        assertThat(post(peer)).as("one at a time").hasSize(1);
        answer(probe, 1_472);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_PATH_REPLY);
        Sent larger = post(peer).get(1);
        assertThat(larger.octets()).hasSize(8_972);
        assertThat(peer.maximumDatagram()).isEqualTo(1_472);
        answer(larger, 8_972);
        assertThat(peer.maximumDatagram()).isEqualTo(8_972);
        assertThat(post(peer)).as("found").hasSize(1);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("is probed for larger datagrams again after the time of the setting")
    void raised() {
        EngineRig often = new EngineRig(Map.of("jwarp.udp.path-raise", "20"), true);
        assertThat(largerProbes(often)).isPositive();
        assertThat(largerProbes(rig)).isZero();
    }

    /** {@return the number of probes longer than the path takes in a minute after the end of the search} */
    private int largerProbes(EngineRig through) {
        system(through);
        int larger = 0;
        for (int second = 0; second < 120; second++) {
            through.upper.post(peer, 1, SHORT);
            for (Sent sent : through.send()) {
                if (sent.kind() == Kind.PATH_PROBE && sent.octets().length <= 1_472) {
                    through.receive(EngineRig.pathReply(sent, sent.octets().length, 0), STRANGER);
                } else if (sent.kind() == Kind.PATH_PROBE && second >= 60) {
                    larger++;
                }
            }
            through.now += TimeUnit.SECONDS.toNanos(1);
        }
        return larger;
    }

    @Tag("DG-6-16")
    @Test
    @DisplayName("an answer of another length, or of another token, or from elsewhere, confirms nothing")
    void forged() {
        Sent probe = post(peer).get(1);
        answer(probe, 1_471);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_REPLY_UNMATCHED);
        probe.octets()[ShimHeader.LENGTH + PathProbeBody.TOKEN_OFFSET]++;
        answer(probe, 1_472);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_REPLY_UNMATCHED);
        assertThat(post(peer)).hasSize(1);
    }

    @Test
    @DisplayName("shares the path's MTU with others at the same address")
    void shared() {
        Sent probe = post(peer).get(1);
        answer(probe, 1_472);
        answer(post(peer).get(1), 8_972);
        DatagramPeer other = unknown(DatagramAddress.of(
                new InetSocketAddress(STRANGER.toSocketAddress().getAddress(), 4_001)));
        post(other);
        assertThat(other.maximumDatagram()).isEqualTo(8_972);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("begins with the kernel's path MTU, and finds a larger one by probes")
    void routeIsAHint() {
        rig.routeMtu = 1_280;
        Sent probe = post(peer).get(1);
        assertThat(probe.octets()).hasSize(1_252);
        answer(probe, 1_252);
        assertThat(post(peer).get(1).octets()).as("what the interface takes").hasSize(8_972);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("is not probed if the system may fragment datagrams, and gets at most 1,500 bytes then")
    void noProbes() {
        rig.keepsWhole = false;
        assertThat(post(peer)).hasSize(1);
        assertThat(peer.maximumDatagram()).isEqualTo(1_472);
    }

    @Test
    @DisplayName("on this host gets the largest datagrams")
    void loopback() {
        rig.interfaceMtu = 65_536;
        assertThat(post(peer)).hasSize(1);
        assertThat(peer.maximumDatagram()).isEqualTo(DatagramLength.LARGEST);
    }

    @Test
    @DisplayName("with a fixed size is neither probed nor changed")
    void fixed() {
        DatagramPeer fixed = new DatagramPeer().set(STRANGER, PEER_NUMBER, KEY, 4_000);
        assertThat(post(fixed)).hasSize(1);
        assertThat(fixed.maximumDatagram()).isEqualTo(4_000);
    }

    @Tag("DG-6-25")
    @Test
    @DisplayName("a datagram that the system refuses as too long counts as lost, and the next is shorter")
    void refused() {
        post(peer);
        rig.largest = 1_372;
        rig.upper.post(peer, 1, 1_400);
        assertThat(rig.dataSent()).isZero();
        assertThat(rig.upper.unsendable).isEmpty();
        assertThat(peer.maximumDatagram()).isEqualTo(1_460 - 28);
    }

    @Tag("DG-6-25")
    @Test
    @DisplayName("a segment for a larger path MTU may be fragmented by IP, in a send of its own")
    void cut() {
        post(peer);
        rig.upper.send(peer, new byte[SHORT]);
        rig.upper.send(peer, new byte[4_000]);
        rig.upper.send(peer, new byte[SHORT]);
        rig.upper.lower().doorbell();
        assertThat(rig.send())
                .filteredOn(sent -> sent.kind() == Kind.DATA)
                .extracting(Sent::mayBeCut)
                .containsExactly(false, true, false);
    }

    @Tag("DG-6-24")
    @Test
    @DisplayName("the largest payload reported by a source counts only with a proved address")
    void told() {
        post(peer);
        Shim shim = new Shim().addressed(NUMBER, PEER_NUMBER, KEY).message(9, PathProbeBody.LEAST_LENGTH);
        byte[] probe = EngineRig.pathProbe(shim, 1, 1_300);
        rig.receive(probe, STRANGER);
        assertThat(peer.maximumDatagram()).isEqualTo(1_472);
        rig.engine.port().trust(STRANGER);
        rig.receive(probe, STRANGER);
        assertThat(peer.maximumDatagram()).isEqualTo(1_300);
    }

    @Test
    @DisplayName("a probe has a system call of its own, since one datagram that is too long fails the whole call")
    void alone() {
        rig.upper.post(peer, 3, 1_500 - 28 - 46);
        assertThat(rig.send()).hasSize(4);
        assertThat(rig.batches).extracting(List::size).containsExactly(1, 1, 2);
    }

    @Test
    @DisplayName("probes have the cookie that the peer requires")
    void cookie() {
        peer.cookie(7, 9, Long.MAX_VALUE);
        Sent probe = post(peer).get(1);
        assertThat(probe.octets()).hasSize(1_472);
        assertThat(probe.parsed().cookie().high()).isEqualTo(7);
    }

    @Test
    @DisplayName("gets a confirming probe after ten seconds of sending")
    void confirmed() {
        answer(post(peer).get(1), 1_472);
        answer(post(peer).get(1), 8_972);
        post(peer);
        rig.now += TimeUnit.SECONDS.toNanos(11);
        assertThat(post(peer).get(1).octets()).hasSize(8_972);
    }
}
