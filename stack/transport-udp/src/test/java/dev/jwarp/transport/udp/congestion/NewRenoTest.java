package dev.jwarp.transport.udp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("NewReno (RFC 9002 §7)")
class NewRenoTest {
    private final Path path = new Path(new NewReno());

    @Test
    @DisplayName("doubles at first, halves at a loss, then grows by one datagram in a round trip")
    void life() {
        path.rounds(4);
        assertThat(path.window()).isEqualTo(160);
        path.loseOne();
        assertThat(path.window()).isCloseTo(80, within(1.0));
        double before = path.window();
        path.rounds(10);
        assertThat(path.window()).isCloseTo(before + 10, within(0.5));
    }

    @Test
    @DisplayName("reverts a reduction if the datagrams were only late")
    void undo() {
        path.rounds(4);
        path.loseOne();
        path.control.onNeedlessRepeat();
        assertThat(path.window()).isEqualTo(160);
    }
}
