package dev.jwarp.tools.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Sessions that begin with the same datagram are laps of a loop")
@SuppressWarnings("AddressSelection") // numbers, not names
class LapsTest {
    private static final ByteBuffer HELLO = ByteBuffer.wrap(new byte[] {1, 2, 3});
    private static final ByteBuffer OTHER = ByteBuffer.wrap(new byte[] {1, 2, 4});
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Laps laps = new Laps();
    private int ports;

    private InetSocketAddress newPort() {
        return new InetSocketAddress("192.0.2.1", ++ports);
    }

    /** As many as there may be. */
    private void fill(long now) {
        for (int lap = 1; lap <= Laps.MOST_LAPS; lap++) {
            assertThat(laps.tooMany(newPort(), HELLO, now)).as("lap " + lap).isFalse();
        }
    }

    @Test
    @DisplayName("if there are too many of one host, each soon after the one before")
    void tooMany() {
        fill(0);
        assertThat(laps.tooMany(newPort(), HELLO, SECOND - 1)).isTrue();
        assertThat(laps.tooMany(newPort(), OTHER, 0)).isFalse();
        assertThat(laps.tooMany(new InetSocketAddress("192.0.2.2", 1), HELLO, 0))
                .isFalse();
    }

    @Test
    @DisplayName("but not if they begin later")
    void later() {
        fill(0);
        laps.goesOn(new InetSocketAddress("192.0.2.1", 1), HELLO, SECOND - 1);
        assertThat(laps.tooMany(newPort(), HELLO, SECOND)).isFalse();
    }

    @Test
    @DisplayName("but not if the target answers")
    void answered() {
        fill(0);
        InetSocketAddress refused = newPort();
        assertThat(laps.tooMany(refused, HELLO, 0)).isTrue();
        laps.forget();
        assertThat(laps.tooMany(refused, HELLO, 0)).isFalse();
        fill(2 * SECOND);
    }

    @Test
    @DisplayName("as far as they are remembered: all is forgotten when there is too much")
    void full() {
        fill(0);
        for (int i = 0; i < Laps.MOST_MARKS; i++) {
            assertThat(laps.tooMany(
                            newPort(), ByteBuffer.allocate(Integer.BYTES).putInt(0, i), 0))
                    .isFalse();
        }
        fill(0);
    }

    @Test
    @DisplayName("and what comes later from the port where they end is refused if it has just gone on")
    void end() {
        fill(0);
        InetSocketAddress end = newPort();
        assertThat(laps.tooMany(end, HELLO, 0)).isTrue();
        laps.goesOn(new InetSocketAddress("192.0.2.1", 1), OTHER, SECOND);
        assertThat(laps.tooMany(end, OTHER, SECOND)).isTrue();
        assertThat(laps.tooMany(end, OTHER, 2 * SECOND)).as("by itself").isFalse();
        assertThat(laps.tooMany(end, OTHER, 2 * SECOND)).as("no end any more").isFalse();
    }
}
