package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.TestCase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What {@code mutants.txt}, {@code coarse-mutants.txt} and {@code charges.tsv} say. With {@code -Ddocs.write=true} the test writes a table of the
 * mutants for a release.
 */
class MutantsPageTest {
    private static final Path METHODOLOGY = Path.of("../docs/conformance/methodology.md");
    private static final Path TABLE = Path.of("../packaging/dist/data/conformance/mutants.md");

    @Test
    @DisplayName("docs/conformance/methodology.md has the figures of all mutants")
    void figures() throws Exception {
        List<Mutant> mutants = Mutant.both();
        String wanted =
                "%d mutants: %d with a fine fault, which break %d different requirements, %d with a gross one; %s."
                        .formatted(
                                mutants.size(),
                                Mutant.all().size(),
                                Mutant.all().stream()
                                        .flatMap(m -> m.broken().stream())
                                        .distinct()
                                        .count(),
                                Mutant.coarse().size(),
                                Charges.read().score(mutants).words());
        if (Boolean.getBoolean("docs.write")) {
            Files.createDirectories(TABLE.getParent());
            Files.writeString(TABLE, table(mutants));
        }
        assertThat(Files.readString(METHODOLOGY).replaceAll("\\s+", " ")).contains(wanted);
    }

    @Test
    @DisplayName("each mutant breaks requirements that exist; a case catches a fine one, a role examines a gross one")
    void names() throws Exception {
        assertThat(order())
                .containsAll(
                        Mutant.both().stream().flatMap(m -> m.broken().stream()).toList());
        assertThat(AllCases.suite().cases())
                .extracting(TestCase::id)
                .containsAll(Mutant.all().stream().map(Mutant::caughtBy).toList());
        assertThat(Role.values())
                .extracting(role -> "@" + role)
                .containsAll(Mutant.coarse().stream().map(Mutant::caughtBy).toList());
    }

    @Test
    @DisplayName("what each mutant changes is in the source, once: a build runs a few of them only")
    void changesCanBeMade() throws Exception {
        for (Mutant mutant : Mutant.both()) {
            assertThatCode(mutant::source).doesNotThrowAnyException();
        }
    }

    @Test
    @DisplayName("a fault is charged to what it breaks, and to little else")
    void chargesAreRight() throws Exception {
        Charges.Score score = Charges.read().score(Mutant.both());

        assertThat(score.holds()).as(score.words()).isTrue();
    }

    private static List<String> order() {
        return Catalogue.load().all().stream().map(Requirement::id).toList();
    }

    private static String table(List<Mutant> mutants) throws Exception {
        List<String> order = order();
        Charges charges = Charges.read();
        StringBuilder page = new StringBuilder("""
            # Mutants

            | broken | what the faulty stack does | class | caught by, or the role it was examined in | charged wrongly | missed |
            |---|---|---|---|---|---|
            """);
        mutants.stream()
                .sorted(Comparator.comparingInt(
                        m -> m.broken().stream().mapToInt(order::indexOf).min().orElse(-1)))
                .forEach(m -> page.append("| %s | %s | `%s` | `%s` | %s | %s |%n"
                        .formatted(
                                m.broken().isEmpty() ? "nothing" : String.join(" ", m.broken()),
                                m.title(),
                                m.type().substring(m.type().lastIndexOf('.') + 1),
                                m.caughtBy(),
                                String.join(" ", charges.wrong(m)),
                                String.join(" ", charges.missed(m)))));
        return page.toString();
    }
}
