package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import org.junit.jupiter.api.Test;

/** jwarp passes its own examination, in both roles. */
class ConformSelfTest {
    @Test
    void jwarp_conforms_to_every_requirement_that_has_a_case() {
        Run run = Run.of("conform", "--self");

        assertThat(run.out().lines().reduce((first, second) -> second).orElse(""))
                .as(run.out())
                .matches("(\\d{3}) tests, \\1 passed, 0 skipped, 0 failed");
        assertThat(run.status()).isZero();
    }

    @Test
    void a_filter_that_names_nothing_is_an_error_of_its_user() {
        Run run = Run.of("conform", "--self", "rfc9999");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("no case is named by rfc9999");
    }
}
