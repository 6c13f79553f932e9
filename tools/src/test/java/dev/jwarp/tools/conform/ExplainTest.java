package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.tools.Run;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code jwarp conform --case ID --explain}. */
class ExplainTest {
    @Test
    @DisplayName("without a device it says what is asked how it is shown and what would pass")
    void withoutDeviceItSaysWhatIsAsked() {
        Run run = Run.of("conform", "--case", "MPA-4.4-6:wrong-crc@responder", "--explain");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out())
                .startsWith("MPA-4.4-6:wrong-crc@responder  ")
                .contains("requirement  MPA-4.4-6 (RFC 5044 §4.4, MUST): ")
                .contains("provoked by  OP-WRITE-ZERO (opens a responder), then BAD-CRC (in capitals")
                .contains("must be seen ")
                .contains("the device   is the responder")
                .doesNotContain("verdict");
    }

    @Test
    @DisplayName("a requirement is explained with each of its cases")
    void requirementIsExplainedWithEachOfItsCases() {
        Run run = Run.of("conform", "--explain", "MPA-4.4-6");

        assertThat(run.out()).contains("MPA-4.4-6:wrong-crc@responder  ", "MPA-4.4-6:wrong-crc@initiator  ");
    }

    @Test
    @DisplayName("one without a case is explained with the reason")
    void oneWithoutCaseIsExplainedWithReason() {
        Run run = Run.of("conform", "--explain", "--case", "MPA-4.3-8");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("no case      A tester cannot choose the first sequence number");
    }

    @Test
    @DisplayName(
            "without a filter each case is explained, and each requirement without a case with the test that shows it")
    void all() {
        Run run = Run.of("conform", "--explain");

        assertThat(run.status()).as(run.err()).isZero();
        Catalogue catalogue = Catalogue.load();
        assertThat(run.out().lines())
                .containsAll(catalogue.all().stream()
                        .filter(r -> !catalogue.unprovoked(r.id()).isEmpty())
                        .flatMap(r -> Stream.of(
                                r.id(),
                                "  no case      " + catalogue.unprovoked(r.id()),
                                "  instead      " + catalogue.proof(r.id())))
                        .toList())
                .containsAll(AllCases.suite().cases().stream()
                        .map(c -> c.id() + "  " + c.title())
                        .toList());
    }

    @Test
    @DisplayName("a filter that names nothing is refused")
    void namesNothing() {
        Run wrong = Run.of("conform", "--explain", "MPA-99");

        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("no case matches MPA-99");
    }

    @Test
    @DisplayName("with a device that passes it shows the exchange with its fields")
    void withDeviceThatPassesItShowsExchange() throws Exception {
        try (MutantStack.Listening device = MutantStack.unchanged().listening()) {
            Run run = explained(device);

            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(run.out())
                    .contains("the exchange > from the tester, < from the device")
                    .contains("= MPA Reply", "ULPDU_Length", "[CRC]")
                    .contains("Terminate 2/0/02 MPA: CRC")
                    .contains("verdict      pass");
        }
    }

    @Test
    @DisplayName("with one that fails also what came what should have and the bytes that show it")
    void withOneThatFailsAlsoWhatCame() throws Exception {
        try (MutantStack.Listening device =
                MutantStack.of("A wrong CRC is not noticed.").listening()) {
            Run run = explained(device);

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.out())
                    .contains("last heard   ")
                    .contains("should come  Terminate 2/0/02 MPA: CRC")
                    .contains("came         ")
                    .contains("charged to   MPA-4.4-6 (RFC 5044")
                    .contains("relied on    MPA2-10-1, ")
                    .contains("verdict      fail");
        }
    }

    private static Run explained(MutantStack.Listening device) {
        return Run.of(
                "conform",
                "--peer",
                device.address(),
                "--profile",
                "echo",
                "--case",
                "MPA-4.4-6:wrong-crc@responder",
                "--timeout",
                "2",
                "--explain");
    }
}
