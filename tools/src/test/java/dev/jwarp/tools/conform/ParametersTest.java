package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.vectors.Whole;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code jwarp conform --parameters all}. */
class ParametersTest {
    @Test
    @DisplayName("jwarp keeps what it keeps with each two choices of the tester")
    void jwarpKeepsWhatItKeepsWithEachTwoChoices() {
        String[] all = {"conform", "--self", "--parameters", "pairs", "-v", "rfc5044/4.4", "rfc5041/7", "rfc5040/6"};
        Run run = Run.of(Arrays.copyOf(all, Whole.or(6, all.length)));

        OwnExamination.passes(run, "\\d{1,2}", "conform", "--self", "--parameters", "pairs");
    }

    @Test
    @DisplayName("a fault that shows with one choice only is said to and charged once")
    void faultThatShowsWithOneChoiceOnly() throws Exception {
        try (MutantStack.Listening device =
                MutantStack.of("The first Marker of a stream is left out.").listening()) {
            Run usual = run(device, "default");
            Run each = run(device, "each");

            assertThat(usual.status()).as(usual.out()).isZero();
            assertThat(each.status()).as(each.out() + each.err()).isEqualTo(1);
            assertThat(each.out())
                    .contains("1 requirement is broken, as far as seen:", "MPA-4.3-2  ")
                    .contains("1 case is inconclusive because of it; none of its own failed here")
                    .contains("only with Markers for the tester: ");
        }
    }

    @Test
    @DisplayName("another word is refused")
    void anotherWordIsRefused() {
        Run run = Run.of("conform", "--self", "--parameters", "some");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--parameters");
    }

    private static Run run(MutantStack.Listening device, String parameters) {
        return Run.of(
                "conform",
                "--peer",
                device.address(),
                "--profile",
                "echo",
                "--timeout",
                "2",
                "--parameters",
                parameters,
                "-v",
                "DDP-7.1-6:unknown-stag@responder");
    }
}
