package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.catalogue.Catalogue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/conformance/mutants.md says what {@code mutants.txt} says; with {@code -Ddocs.write=true} it is written. */
class MutantsPageTest {
    private static final Path PAGE = Path.of("../docs/conformance/mutants.md");

    @Test
    @DisplayName("the page lists every mutant")
    void pageListsEveryMutant() throws Exception {
        String wanted = page(Mutant.all());
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, wanted);
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("docs/conformance/mutants.md is out of date: run mvn -pl tools -am test -Dtest=MutantsPageTest"
                        + " -Ddocs.write=true -Dsurefire.failIfNoSpecifiedTests=false")
                .isEqualTo(wanted);
    }

    private static String page(List<Mutant> mutants) {
        Catalogue catalogue = Catalogue.load();
        List<String> order = catalogue.all().stream().map(r -> r.id()).toList();
        StringBuilder page = new StringBuilder();
        page.append("# Mutants: does the suite see a fault?\n\n");
        page.append("A suite that passes says little until it has been seen to fail. Each of these ")
                .append(mutants.size())
                .append(" stacks is jwarp with one fault, which breaks one requirement\n")
                .append("(")
                .append(mutants.stream().map(Mutant::breaks).distinct().count())
                .append(
                        " different ones). `MutantsTest` changes the source, compiles the class, runs the case against the")
                .append(
                        " result, and expects it to fail; the same\ncase passes on the stack as it is. The faults stand in")
                .append(" `tools/src/test/resources/dev/jwarp/tools/conform/mutants.txt`.\n\n")
                .append("This page is made from that file by `MutantsPageTest`.\n\n")
                .append("| requirement | what the faulty stack does | class | caught by |\n|---|---|---|---|\n");
        mutants.stream()
                .sorted(Comparator.comparingInt(m -> order.indexOf(m.breaks())))
                .forEach(m -> page.append("| [")
                        .append(m.breaks())
                        .append("](")
                        .append(catalogue.get(m.breaks()).document())
                        .append(".md#")
                        .append(m.breaks().toLowerCase(Locale.ROOT))
                        .append(") | ")
                        .append(m.title())
                        .append(" | `")
                        .append(m.type().substring(m.type().lastIndexOf('.') + 1))
                        .append("` | `")
                        .append(m.caughtBy())
                        .append("` |\n"));
        return page.toString();
    }
}
