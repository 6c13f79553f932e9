package dev.jwarp.transport.udp.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.path.PathMtuSearch.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The search for the path MTU")
class PathMtuSearchTest {
    private static final int HEADERS = 28;
    private static final long TOKEN = 7;
    private static final DatagramAddress IPV4 = new DatagramAddress().setIpv4(0x0a00_0001, 7174);
    private static final DatagramAddress IPV6 = new DatagramAddress().set(0x2001_0db8L << 32, 1, 7174, 0);
    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long RAISE = 600 * SECOND;
    private static final long ROUND = 20 * MILLISECOND;

    private final List<Integer> probes = new ArrayList<>();
    private PathMtuSearch search = new PathMtuSearch(IPV4, 1_472, 8_972, RAISE);
    private long now = SECOND;
    /** The largest packet that the path takes, bytes; 0 if nothing comes through. */
    private int path = 1_500;
    /** Whether the peer answers probes. */
    private boolean answers = true;

    private long answerAt = Long.MAX_VALUE;

    /**
     * Sends data for {@code nanos}, a datagram each millisecond; a probe that comes through is answered after a round
     * trip.
     */
    private void send(long nanos) {
        for (long end = now + nanos; now < end; now += MILLISECOND) {
            if (answerAt <= now) {
                answerAt = Long.MAX_VALUE;
                search.answered(TOKEN, probes.get(probes.size() - 1) - HEADERS, Integer.MAX_VALUE, now);
            }
            int probe = search.poll(TOKEN, now);
            if (probe > 0) {
                probes.add(probe + HEADERS);
                answerAt = answers && probe + HEADERS <= path ? now + ROUND : Long.MAX_VALUE;
            }
        }
    }

    /** The same on a path that takes packets of {@code mtu} bytes from now on. */
    private void send(int mtu, long nanos) {
        path = mtu;
        send(nanos);
    }

    private int packet() {
        return search.maximumDatagram() + HEADERS;
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("begins with the initial size, confirms it, and then tries the largest that the interface takes")
    void jumbo() {
        path = 9_000;
        assertThat(packet()).isEqualTo(1_500);
        assertThat(search.state()).isEqualTo(State.BASE);
        send(2 * ROUND);
        assertThat(probes).startsWith(1_500, 9_000);
        send(2 * ROUND);
        assertThat(packet()).isEqualTo(9_000);
        assertThat(search.state()).isEqualTo(State.COMPLETE);
        assertThat(probes).hasSize(2);
    }

    @Tag("DG-6-14")
    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {576, 1_006, 1_280, 1_400, 1_420, 1_492, 1_500, 4_352, 9_000})
    @DisplayName("finds a usual path MTU exactly")
    void usual(int mtu) {
        path = mtu;
        send(60 * SECOND);
        assertThat(packet()).isEqualTo(mtu);
        assertThat(search.state()).isEqualTo(State.COMPLETE);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {600, 1_111, 1_434, 2_048, 8_999})
    @DisplayName("finds another path MTU to within 16 bytes, never a larger one")
    void unusual(int mtu) {
        path = mtu;
        send(120 * SECOND);
        assertThat(packet()).isBetween(mtu - 16, mtu);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("a size counts as too large after three lost probes of one second each")
    void threeProbes() {
        send(10 * ROUND);
        assertThat(probes).containsExactly(1_500, 9_000);
        send(2 * SECOND);
        assertThat(probes).containsExactly(1_500, 9_000, 9_000, 9_000);
        send(SECOND);
        assertThat(probes).hasSize(5);
        assertThat(probes.get(4)).isBetween(1_501, 8_999);
        assertThat(packet()).isEqualTo(1_500);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("a single lost probe proves nothing")
    void oneLost() {
        send(9_000, 2 * MILLISECOND);
        answers = false;
        send(ROUND);
        answers = true;
        send(2 * SECOND);
        assertThat(packet()).isEqualTo(9_000);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("probes stop with the data, and an outstanding probe is lost then")
    void idle() {
        send(10 * ROUND);
        int before = probes.size();
        now += 100 * SECOND;
        assertThat(probes).hasSize(before);
        send(MILLISECOND);
        assertThat(probes).hasSize(before + 1);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("for a peer that answers no probe the size stays; it is probed again after ten minutes")
    void unanswered() {
        answers = false;
        send(5 * SECOND);
        assertThat(probes).containsExactly(1_500, 1_500, 1_500, 576, 576);
        send(5 * SECOND);
        assertThat(probes).containsExactly(1_500, 1_500, 1_500, 576, 576, 576);
        assertThat(search.state()).isEqualTo(State.DISABLED);
        assertThat(packet()).isEqualTo(1_500);
        send(580 * SECOND);
        assertThat(probes).hasSize(6);
        answers = true;
        send(30 * SECOND);
        assertThat(probes.size()).isGreaterThan(6);
        assertThat(search.state()).isNotEqualTo(State.DISABLED);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("the present size is confirmed every ten seconds")
    void confirmed() {
        send(9_000, SECOND);
        probes.clear();
        send(31 * SECOND);
        assertThat(probes).containsExactly(9_000, 9_000, 9_000);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("a smaller path MTU is detected and found")
    void blackHole() {
        send(9_000, SECOND);
        send(1_400, 15 * SECOND);
        assertThat(packet()).isLessThanOrEqualTo(1_400);
        send(60 * SECOND);
        assertThat(packet()).isEqualTo(1_400);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("a smaller path MTU is detected at once if data is not acknowledged")
    void suspected() {
        send(9_000, SECOND);
        path = 1_400;
        search.suspect(now);
        send(4 * SECOND);
        assertThat(packet()).isLessThanOrEqualTo(1_400);
    }

    @Test
    @DisplayName("an interrupted search continues if the present size is confirmed")
    void suspectedWhileSearching() {
        send(4_352, 2 * ROUND);
        assertThat(search.state()).isEqualTo(State.SEARCHING);
        search.suspect(now);
        send(20 * SECOND);
        assertThat(packet()).isEqualTo(4_352);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("an outage does not change the size")
    void outage() {
        send(9_000, SECOND);
        path = 0;
        search.suspect(now);
        send(40 * SECOND);
        assertThat(packet()).isEqualTo(9_000);
        assertThat(search.state()).isEqualTo(State.ERROR);
        send(9_000, 30 * SECOND);
        assertThat(packet()).isEqualTo(9_000);
        assertThat(search.state()).isEqualTo(State.COMPLETE);
    }

    @Tag("DG-6-14")
    @Test
    @DisplayName("a larger path MTU is found after ten minutes")
    void raised() {
        send(1_400, 60 * SECOND);
        assertThat(packet()).isEqualTo(1_400);
        send(9_000, 500 * SECOND);
        assertThat(packet()).isEqualTo(1_400);
        send(120 * SECOND);
        assertThat(packet()).isEqualTo(9_000);
    }

    @Test
    @DisplayName("frequent probes of larger sizes do not delay the detection of a smaller path MTU")
    void raisedOften() {
        search = new PathMtuSearch(IPV4, 1_472, 8_972, 5 * SECOND);
        send(9_000, SECOND);
        send(1_400, 60 * SECOND);
        assertThat(packet()).isEqualTo(1_400);
        send(9_000, 30 * SECOND);
        assertThat(packet()).isEqualTo(9_000);
    }

    @Test
    @DisplayName("suspicions do not delay probes of larger sizes")
    void raisedThoughSuspected() {
        send(1_400, 60 * SECOND);
        path = 9_000;
        for (int i = 0; i < 65; i++) {
            search.suspect(now);
            send(10 * SECOND);
        }
        assertThat(packet()).isEqualTo(9_000);
    }

    @Tag("DG-6-25")
    @Test
    @DisplayName("a size that this host's system refuses is not tried again, and the present one is reduced at once")
    void refused() {
        send(2 * ROUND);
        assertThat(probes).endsWith(9_000);
        search.tooLong(8_972, now);
        send(MILLISECOND);
        assertThat(probes).endsWith(4_352);
        search.tooLong(1_472, now);
        assertThat(packet()).isEqualTo(1_492);
        assertThat(search.state()).isEqualTo(State.BASE);
    }

    @Tag("DG-6-24")
    @Test
    @DisplayName("the size does not exceed that of the peer")
    void peerTakes() {
        path = 9_000;
        search.takes(4_000);
        send(SECOND);
        assertThat(search.maximumDatagram()).isEqualTo(4_000);
        search.takes(10);
        assertThat(search.maximumDatagram())
                .as("no peer takes less than every path does")
                .isEqualTo(4_000);
    }

    @Test
    @DisplayName("without probes the size stays at the MTU of the interface")
    void disabled() {
        search = new PathMtuSearch(IPV4, 1_472, 1_372, 0);
        send(SECOND);
        assertThat(probes).isEmpty();
        assertThat(search.maximumDatagram()).isEqualTo(1_372);
        search.tooLong(1_372, now);
        assertThat(packet()).isEqualTo(1_280);
        assertThat(search.state()).isEqualTo(State.DISABLED);
    }

    @Test
    @DisplayName("if the interface takes no more than the initial size, as on loopback, nothing larger is probed")
    void loopback() {
        search = new PathMtuSearch(IPV4, 65_507, 65_507, RAISE);
        send(65_535, SECOND);
        assertThat(probes).containsExactly(65_535);
        assertThat(search.maximumDatagram()).isEqualTo(65_507);
    }

    @Test
    @DisplayName("IPv6: 1,280 bytes come through everywhere")
    void ipv6() {
        search = new PathMtuSearch(IPV6, 1_452, 1_452, RAISE);
        path = 1_280 - 48 + HEADERS; // send() adds the headers of IPv4
        send(20 * SECOND);
        assertThat(search.maximumDatagram()).isEqualTo(1_232);
    }
}
