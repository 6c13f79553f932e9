package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("The plan of jwarp loss")
class TrialFlagsTest {
    private static List<LossTrial> plan(boolean lab, String flags) {
        return CommandLine.populateCommand(new TrialFlags(), flags.split(" ")).plan(Map.of(), lab);
    }

    private static int messages(String flags) {
        return plan(false, "--services ud-send --rates 0 " + flags).get(0).messages();
    }

    @Test
    @DisplayName("has a thousand messages or more of each size up to 128 KiB, and 200 or more of the longest")
    void messages() {
        assertThat(messages("--sizes 1")).isEqualTo(2000);
        assertThat(messages("--sizes 128K")).isEqualTo(2000);
        assertThat(messages("--sizes 256K")).isEqualTo(1024);
        assertThat(messages("--sizes 1M")).isEqualTo(256);
    }

    @Test
    @DisplayName("has no fewer than 200 because of --volume, and fewer if --messages says so")
    void volume() {
        assertThat(messages("--sizes 1M --volume 32M")).isEqualTo(200);
        assertThat(messages("--sizes 1M --volume 32M --messages 50")).isEqualTo(50);
        assertThat(messages("--sizes 64K --volume 32M")).isEqualTo(512);
    }

    @Test
    @DisplayName("repeats all trials, each time with the next seed")
    void repeats() {
        List<LossTrial> plan = plan(false, "--services ud-send --rates 1,2 --sizes 64 --repeat 3 --seed 40");

        assertThat(plan.stream().map(LossTrial::run)).containsExactly(1, 1, 2, 2, 3, 3);
        assertThat(plan.stream().map(trial -> trial.settings().get("jwarp.udp.inject")))
                .containsSubsequence(
                        "loss=0.010000,seed=40",
                        "loss=0.020000,seed=40",
                        "loss=0.010000,seed=41",
                        "loss=0.020000,seed=42");
        assertThat(plan(true, "--repeat 2 --rates 0 --sizes 1 --services rc-send")
                        .get(1)
                        .seed())
                .isEqualTo(8);
    }

    @Test
    @DisplayName(
            "has each rate with each round trip, half of it each way, and more patience; of connections on loopback one row")
    void trips() {
        String flags = "--services ud-send,rc-send --rates 1,2 --sizes 64 --rtt 1,50 --idle 100";
        List<LossTrial> loopback = plan(false, flags);

        assertThat(loopback).hasSize(5);
        assertThat(loopback.get(2).settings()).containsEntry("jwarp.udp.inject", "loss=0.010000,delay=25000us,seed=7");
        assertThat(loopback.get(2).idleMillis()).isEqualTo(150);
        assertThat(loopback.get(4).path()).isEqualTo(new LossPath(0, null, null));
        assertThat(plan(true, flags))
                .hasSize(8)
                .allSatisfy(trial -> assertThat(trial.settings()).doesNotContainKey("jwarp.udp.inject"));
    }
}
