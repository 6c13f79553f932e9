package dev.jwarp.transport.udp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** All congestion controls, with random events. */
class CongestionControlPropertyTest {
    /** An event of a sender. */
    enum Step {
        ROUND,
        SLOW_ROUND,
        UNUSED_ROUND,
        LOSS,
        HEAVY_LOSS,
        TIMEOUTS,
        NEEDLESS,
        IDLE,
        NEW_FLIGHT
    }

    @Provide
    Arbitrary<CongestionControl> controls() {
        return Arbitraries.of("cubic", "newreno", "tolerant")
                .map(name ->
                        name.equals("tolerant") ? CongestionControl.of("cubic", 10) : CongestionControl.of(name, 0));
    }

    private static void take(Path path, Step step) {
        path.limited = step != Step.UNUSED_ROUND;
        switch (step) {
            case ROUND, UNUSED_ROUND -> path.round();
            case SLOW_ROUND -> path.round(3 * path.roundTrip);
            case LOSS -> path.loseOne();
            case HEAVY_LOSS -> {
                int count = (int) path.window();
                path.serial += count;
                path.lose(count, path.serial - 1, 0);
            }
            case TIMEOUTS -> path.control.onPersistentLoss(path.serial);
            case NEEDLESS -> path.control.onNeedlessRepeat();
            case IDLE -> path.control.onIdle(3);
            case NEW_FLIGHT -> {
                path.serial = 0;
                path.control.begin(Path.DATAGRAM);
            }
        }
    }

    @Property(tries = 300)
    @Label("always admits one datagram, and two outside of recovery; its rate is valid")
    void least(@ForAll("controls") CongestionControl control, @ForAll @Size(max = 25) List<Step> steps) {
        Path path = new Path(control);
        for (Step step : steps) {
            if (path.window() > 20_000) {
                break;
            }
            take(path, step);
            assertThat(control.window()).as("%s", step).isGreaterThanOrEqualTo(Path.DATAGRAM);
            assertThat(control.rate()).isNotNegative();
        }
        path.control.begin(Path.DATAGRAM);
        assertThat(control.window()).isGreaterThanOrEqualTo(2 * Path.DATAGRAM);
    }

    @Property(tries = 300)
    @Label("does not grow in a round trip in which the program sends less than the window")
    void applicationLimited(@ForAll("controls") CongestionControl control, @ForAll @Size(max = 15) List<Step> steps) {
        Path path = new Path(control);
        for (Step step : steps) {
            if (path.window() > 20_000) {
                break;
            }
            take(path, step);
            path.serial = 0;
            path.control.begin(Path.DATAGRAM);
            long before = control.window();
            take(path, Step.UNUSED_ROUND);
            assertThat(control.window()).as("after %s", step).isLessThanOrEqualTo(before);
        }
    }
}
