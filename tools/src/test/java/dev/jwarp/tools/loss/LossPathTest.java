package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The path of the loss experiment")
class LossPathTest {
    @Test
    @DisplayName("A bottleneck has a rate and a queue of bytes or of bandwidth-delay products")
    void bottleneck() {
        assertThat(Bottleneck.of("20M,64K").bitsPerSecond()).isEqualTo(20_000_000);
        assertThat(Bottleneck.of("1.5g,9000").bitsPerSecond()).isEqualTo(1_500_000_000);
        assertThat(Bottleneck.of("20M,64K").queueBytes(100)).isEqualTo(65_536);
        assertThat(Bottleneck.of("20M,0.5x").queueBytes(100)).isEqualTo(125_000);
        assertThat(Bottleneck.of("20M").queueBytes(100)).as("one product").isEqualTo(250_000);
        assertThat(Bottleneck.of("20M,0.1x").queueBytes(1))
                .as("three packets at least")
                .isEqualTo(4_500);
        assertThat(Bottleneck.of("20M,250000").drainMillis(0)).isEqualTo(100);
    }

    @Test
    @DisplayName("A message may be late by the round trip and by the time in which both queues drain")
    void late() {
        assertThat(new LossPath(0, null, null).waitMillis()).isZero();
        assertThat(new LossPath(0, 50.0, null).waitMillis()).isEqualTo(50);
        assertThat(new LossPath(0, 50.0, Bottleneck.of("20M,250000")).waitMillis())
                .isEqualTo(250);
    }
}
