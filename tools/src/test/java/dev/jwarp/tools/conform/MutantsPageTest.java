package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/conformance/mutants.md says what {@code mutants.txt}, {@code coarse-mutants.txt} and {@code charges.tsv} say; {@code -Ddocs.write=true} writes it. */
class MutantsPageTest {
    private static final Path PAGE = Path.of("../docs/conformance/mutants.md");

    private static final String HEAD = """
            # Mutants: does the suite see a fault, and charge it rightly?

            A suite that passes says little until it has been seen to fail, and one that charges a fault to every requirement cannot be used to mend
            a stack. Each of these %d stacks is jwarp with one fault. %d have a fine one, which breaks one requirement or two (%d different ones):
            `MutantsTest` changes the source, compiles the class, runs the case that should catch it, and expects it to fail; the same case passes on
            the stack as it is. %d have a gross one, such as an FPDU without a CRC field.

            Against each of them *all* cases of a role are run, and what is charged is held against what is broken:
            **%s**.
            The build holds precision to 0.9, recall to 0.95 and wrong charges to 3 for one stack. `ChargesTest` runs some of the stacks so in each
            build; all of them, with the reason of each wrong charge, by

            <!-- run by ChargesTest -->

            ```console
            mvn -pl tools -am test -Dtest=ChargesTest -Dcharges.only=.* -Dsurefire.failIfNoSpecifiedTests=false
            ```

            The faults stand in `mutants.txt` and `coarse-mutants.txt` in `tools/src/test/resources/dev/jwarp/tools/conform/`, the charges, as they
            were measured last, in `charges.tsv` beside them. `MutantsPageTest` makes this page from the three.

            | broken | what the faulty stack does | class | caught by, or the role it was examined in | charged wrongly | missed |
            |---|---|---|---|---|---|
            """;

    @Test
    @DisplayName("the page lists every mutant")
    void pageListsEveryMutant() throws Exception {
        String wanted = page(Mutant.both());
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, wanted);
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("docs/conformance/mutants.md is out of date: run mvn -pl tools -am test -Dtest=MutantsPageTest"
                        + " -Ddocs.write=true -Dsurefire.failIfNoSpecifiedTests=false")
                .isEqualTo(wanted);
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

    private static String page(List<Mutant> mutants) throws Exception {
        Catalogue catalogue = Catalogue.load();
        List<String> order = catalogue.all().stream().map(Requirement::id).toList();
        Charges charges = Charges.read();
        StringBuilder page = new StringBuilder(HEAD.formatted(
                mutants.size(),
                Mutant.all().size(),
                Mutant.all().stream()
                        .flatMap(m -> m.broken().stream())
                        .distinct()
                        .count(),
                Mutant.coarse().size(),
                charges.score(mutants).words()));
        mutants.stream()
                .sorted(Comparator.comparingInt(
                        m -> m.broken().stream().mapToInt(order::indexOf).min().orElse(-1)))
                .forEach(m -> page.append("| ")
                        .append(m.broken().isEmpty() ? "nothing" : links(catalogue, m.broken()))
                        .append(" | ")
                        .append(m.title())
                        .append(" | `")
                        .append(m.type().substring(m.type().lastIndexOf('.') + 1))
                        .append("` | `")
                        .append(m.caughtBy())
                        .append("` | ")
                        .append(String.join(" ", charges.wrong(m)))
                        .append(" | ")
                        .append(String.join(" ", charges.missed(m)))
                        .append(" |\n"));
        return page.toString();
    }

    private static String links(Catalogue catalogue, Set<String> requirements) {
        return requirements.stream()
                .map(r -> "[" + r + "](" + catalogue.get(r).link() + ")")
                .collect(Collectors.joining(" "));
    }
}
