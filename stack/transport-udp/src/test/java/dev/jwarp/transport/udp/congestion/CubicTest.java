package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("CUBIC (RFC 9438)")
class CubicTest {
    private final Path path = new Path(new Cubic());

    /** Grows in slow start to at least {@code datagrams}. */
    private void grown(int datagrams) {
        while (path.window() < datagrams) {
            path.round();
        }
    }

    @Tag("DG-11.4-1")
    @Test
    @DisplayName("begins with 10 datagrams of 1,500 bytes, or 2 of larger ones, and doubles in each round trip (§4.10)")
    void start() {
        assertThat(path.window()).isEqualTo(10);
        path.round();
        assertThat(path.window()).isEqualTo(20);
        path.round();
        assertThat(path.window()).isEqualTo(40);
        assertThat(CongestionControl.first(500)).isEqualTo(5_000);
        assertThat(CongestionControl.first(65_535)).isEqualTo(131_070);
    }

    @Tag("DG-11.4-3")
    @Test
    @DisplayName("falls to 0.7 of the window at a loss, once in a round trip (§4.6)")
    void reduction() {
        grown(160);
        path.loseOne();
        assertThat(path.window()).isCloseTo(112, within(1.0));
        int first = path.serial;
        path.serial += 112;
        path.lose(1, first, 111);
        path.lose(5, first + 40, 100);
        path.now += path.roundTrip;
        path.serial++;
        path.acknowledge(path.serial - 1, 0, path.roundTrip);
        assertThat(path.window()).as("both losses are of one flight").isCloseTo(112 * 0.7, within(1.0));
    }

    @Tag("DG-11.4-3")
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'of the bytes in flight if these were less than the window (§4.6): of 72', 71, 0, false, 50.4",
        "'of a used-up window, although pacing had less in flight, as in Linux', 71, 0, true, 112",
        "'counting bytes of the acknowledgement that shows the loss as in flight (RFC 9937 §6.1)', 155, 4, false, 112",
        "'of the whole window if the bytes in flight are unknown', 0, 0, false, 112"
    })
    @DisplayName("falls to 0.7 at a loss:")
    void reductionOfFlight(String what, int inFlight, int acked, boolean limited, double window) {
        path.acked = acked;
        path.lossLimited = limited;
        grown(160);
        path.loseFirstOf(160, inFlight);
        assertThat(path.window()).isCloseTo(window, within(1.0));
    }

    @Tag("DG-11.4-3")
    @Test
    @DisplayName("falls to whole datagrams: 4 of 7")
    void reductionToWholeDatagrams() {
        grown(160);
        path.loseFirstOf(7, 6);
        assertThat(path.window()).isBetween(4.0, 4.5);
    }

    @Test
    @DisplayName(
            "sends in proportion during recovery: 7 for 10 that arrive, instead of a pause of half a round trip (RFC 9937)")
    void proportionalRate() {
        grown(160);
        int first = path.serial;
        path.serial += 160;
        path.lose(1, first, 159);
        assertThat(path.window()).as("the repetition leaves at once").isEqualTo(160);
        path.control.onSent(Path.DATAGRAM);
        int sent = 1;
        int underWay = 160;
        for (int i = 1; i <= 60; i++) {
            underWay--;
            path.acknowledge(first + i, underWay, path.roundTrip);
            while (path.window() >= underWay + 1) {
                path.control.onSent(Path.DATAGRAM);
                underWay++;
                sent++;
            }
        }
        assertThat(sent).isBetween(41, 43);
    }

    /** {@return the datagrams sent at an acknowledgement in a recovery with less in flight than the threshold} */
    private int sentWhereMuchWasLost(boolean safe) {
        grown(160);
        int first = path.serial;
        path.serial += 160;
        path.lose(100, first + 99, 60);
        path.control.onSent(Path.DATAGRAM);
        path.safe = safe;
        path.acknowledge(first + 100, 60, path.roundTrip);
        return (int) path.window() - 60;
    }

    @Test
    @DisplayName(
            "sends one for one after a large loss, and one more for each acknowledgement that shows progress (RFC 9937 §6.2)")
    void reductionBounds() {
        assertThat(sentWhereMuchWasLost(false)).isEqualTo(1);
        CubicTest other = new CubicTest();
        assertThat(other.sentWhereMuchWasLost(true)).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "returns to the window before the loss after K = cbrt(0.3 W / 0.4) seconds, with a plateau there (§4.2)")
    void concave() {
        path.roundTrip = MILLISECONDS.toNanos(100);
        grown(640);
        path.loseOne();
        long begin = path.now;
        double k = Math.cbrt(0.3 * 640 / 0.4);
        while (path.window() < 639) {
            path.round();
        }
        assertThat((path.now - begin) / 1e9).isCloseTo(k, within(1.5));
        double plateau = path.window();
        path.rounds(10);
        assertThat(path.window()).as("a second later").isLessThan(plateau + 3);
        path.rounds(60);
        assertThat(path.window()).as("growth beyond the plateau").isGreaterThan(plateau + 60);
    }

    @Test
    @DisplayName("lowers its plateau if the window was smaller than at the loss before: fast convergence (§4.7)")
    void fastConvergence() {
        path.roundTrip = MILLISECONDS.toNanos(100);
        grown(640);
        path.loseOne();
        path.loseOne(); // at 448 of 640
        double after = path.window();
        assertThat(after).isCloseTo(448 * 0.7, within(2.0));
        double plateau = 448 * 0.85;
        path.rounds((int) (Math.cbrt((plateau - after) / 0.4) * 10));
        assertThat(path.window()).isCloseTo(plateau, within(12.0));
    }

    @Test
    @DisplayName("never grows more slowly than NewReno would: short round trips and small windows (§4.3)")
    void renoFriendly() {
        path.roundTrip = MILLISECONDS.toNanos(2);
        grown(20);
        path.loseOne();
        double before = path.window();
        path.rounds(100); // 0.2 s: too short for cubic growth
        assertThat(path.window()).isGreaterThan(before + 30);
    }

    @Tag("DG-11.4-6")
    @Test
    @DisplayName(
            "does not grow while the program sends less than the window, and this time does not count (§4.2, §5.8)")
    void applicationLimited() {
        grown(160);
        path.loseOne();
        path.rounds(5);
        double before = path.window();
        path.limited = false;
        path.rounds(2_000);
        assertThat(path.window()).isEqualTo(before);
        path.limited = true;
        path.round();
        assertThat(path.window()).as("as if no time had passed").isLessThan(before + 3);
    }

    @Test
    @DisplayName("reverts a reduction if the datagrams were only late (§4.8)")
    void undo() {
        grown(160);
        path.loseOne();
        path.control.onNeedlessRepeat();
        assertThat(path.window()).isEqualTo(160);
        path.control.onNeedlessRepeat();
        assertThat(path.window()).as("once").isEqualTo(160);
    }

    @Tag("DG-11.4-3")
    @Test
    @DisplayName(
            "begins with 2 after several time-outs, and slow start ends at 0.7 of the old window (§4.8, RFC 9002 §7.6)")
    void persistentLoss() {
        grown(160);
        path.control.onPersistentLoss(path.serial);
        assertThat(path.window()).isEqualTo(2);
        path.rounds(6);
        assertThat(path.window()).isCloseTo(112, within(1.0));
        path.round();
        assertThat(path.window()).as("no slow start any more").isLessThan(115);
    }

    @Tag("DG-11.4-6")
    @Test
    @DisplayName("halves the window for each time-out without sending, down to 10 datagrams (RFC 2861)")
    void idle() {
        grown(160);
        path.control.onIdle(2);
        assertThat(path.window()).isEqualTo(40);
        path.control.onIdle(1_000);
        assertThat(path.window()).isEqualTo(10);
    }

    @Test
    @DisplayName("paces slow start at twice, later at 1.25 times the window in a round trip (RFC 9002 §7.7)")
    void rate() {
        assertThat(path.control.rate()).as("without a round trip").isZero();
        grown(160);
        assertThat(path.control.rate()).isEqualTo(2 * 160 * 1_500 * 50);
        path.loseOne();
        path.round();
        assertThat(path.control.rate() / 1e6).isCloseTo(1.25 * 0.113 * 1_500 * 50 / 1e0 * 1e3 / 1e6, within(0.2));
    }
}
