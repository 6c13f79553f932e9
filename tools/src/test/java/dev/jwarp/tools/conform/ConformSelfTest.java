package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** jwarp passes its own examination, in both roles. */
class ConformSelfTest {
    @Test
    @DisplayName("jwarp conforms to every requirement that has a case")
    void jwarpConformsToEveryRequirementThatHasCase() {
        Run run = Run.of("conform", "--self", "-v");

        assertThat(run.out())
                .startsWith("jwarp conform ")
                .contains("The device as responder:" + System.lineSeparator(), "The device as initiator:")
                .containsPattern("revision +2, enhanced");
        OwnExamination.passes(run, "\\d{3}", "conform", "--self");
    }

    @Test
    @DisplayName("a filter that names nothing is an error of its user")
    void filterThatNamesNothingIsErrorOfItsUser() {
        Run run = Run.of("conform", "--self", "rfc9999");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("no case matches rfc9999");
    }
}
