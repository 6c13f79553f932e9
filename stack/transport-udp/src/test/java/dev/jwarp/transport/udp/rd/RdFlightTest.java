package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.OutboundMessage;
import java.util.LinkedHashSet;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The datagrams in flight")
class RdFlightTest {
    private static final int MOST = 2_048;

    private final RdFlight flight = new RdFlight(MOST);
    // The model: PSNs in the order of their last transmission, and lost ones in the order of their loss.
    private final LinkedHashSet<Integer> underWay = new LinkedHashSet<>();
    private final LinkedHashSet<Integer> lost = new LinkedHashSet<>();
    private int serial;

    private record Numbered(int psn) implements OutboundMessage {}

    private void send(int psn) {
        flight.sent(psn, 100, serial, false, 1_000L * serial);
        serial++;
        lost.remove(psn);
        underWay.remove(psn);
        underWay.add(psn);
    }

    private void check(int oldest, int next) {
        assertThat(flight.underWay()).isEqualTo(underWay.size());
        assertThat(flight.lost()).isEqualTo(lost.size());
        assertThat(flight.inFlight()).isEqualTo(100L * underWay.size());
        if (!underWay.isEmpty()) {
            assertThat(flight.oldestUnderWay(oldest))
                    .isEqualTo(underWay.iterator().next());
        }
        if (!lost.isEmpty()) {
            assertThat(flight.firstLost(oldest)).isEqualTo(lost.iterator().next());
        }
        for (int psn = oldest; psn != next; psn++) {
            assertThat(flight.index(psn)).isEqualTo(psn & 0x7fff);
            assertThat(flight.message(psn)).isEqualTo(new Numbered(psn));
        }
    }

    @ParameterizedTest(name = "first PSN {0}")
    @ValueSource(ints = {0, 77, -1_000, Integer.MAX_VALUE - 500})
    @DisplayName("keep their order and data while the ring grows from 256 to thousands of slots, and shrinks")
    void grows(int first) {
        Random random = new Random(first);
        int oldest = first;
        int next = first;
        assertThat(flight.slots()).isEqualTo(RdFlight.LEAST);
        for (int step = 0; step < 20_000; step++) {
            int outstanding = Psn.distance(oldest, next);
            int what = random.nextInt(100);
            if (what < 60 && outstanding < MOST) {
                flight.add(oldest, next, new Numbered(next), next & 0x7fff);
                send(next++);
            } else if (what < 70 && !underWay.isEmpty()) {
                int psn = underWay.iterator().next();
                flight.lose(psn);
                underWay.remove(psn);
                lost.add(psn);
            } else if (what < 80 && !lost.isEmpty()) {
                int psn = lost.iterator().next();
                flight.again(psn);
                send(psn);
            } else if (outstanding > 0) {
                int psn = what < 90 ? oldest : oldest + random.nextInt(outstanding);
                flight.acknowledge(psn);
                underWay.remove(psn);
                lost.remove(psn);
            }
            while (oldest != next && flight.acked(oldest)) {
                assertThat(flight.take(oldest)).isEqualTo(new Numbered(oldest));
                oldest++;
            }
            if (step % 500 == 0) {
                check(oldest, next);
            }
        }
        check(oldest, next);
        assertThat(flight.slots()).isBetween(RdFlight.LEAST + 1, MOST);
        flight.clear();
        flight.shrink();
        assertThat(flight.slots()).isEqualTo(RdFlight.LEAST);
    }
}
