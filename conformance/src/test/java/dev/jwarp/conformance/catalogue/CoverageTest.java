package dev.jwarp.conformance.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.suite.TestCase;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Each requirement has a case, or a written reason why it has none. The suite checks the ids of requirements when it is
 * made.
 */
class CoverageTest {
    private static final Catalogue CATALOGUE = Catalogue.load();

    private static final Set<String> TESTED = AllCases.suite().cases().stream()
            .flatMap(c -> c.requirements().stream())
            .map(Requirement::id)
            .collect(Collectors.toSet());

    @Test
    @DisplayName("a requirement has a reason if and only if it has no case")
    void eachRequirementHasCaseOrReason() {
        List<String> ids = CATALOGUE.all().stream().map(Requirement::id).toList();
        assertThat(ids.stream().filter(id -> !CATALOGUE.unprovoked(id).isEmpty()))
                .as("write a case, or a reason in unprovoked.tsv, but not both")
                .containsExactlyElementsOf(
                        ids.stream().filter(id -> !TESTED.contains(id)).toList());
    }

    @Test
    @DisplayName("reasons are few, except for requirements that bind no device; a common reason has one text")
    void reasonsAreFew() {
        long reasons = CATALOGUE.all().stream()
                .filter(r -> !r.role().equals("user"))
                .map(r -> CATALOGUE.unprovoked(r.id()))
                .filter(reason -> !reason.isEmpty())
                .distinct()
                .count();

        assertThat(reasons).isLessThan(CATALOGUE.all().size() / 10);
    }

    @Test
    @DisplayName("requirements of RFC 6581 are not tested on a device without RFC 6581")
    void enhancedOnly() {
        assertThat(AllCases.suite().cases())
                .filteredOn(c -> c.requirement().document().equals("rfc6581"))
                .isNotEmpty()
                .allMatch(c -> c.needs().contains(Ability.ENHANCED));
    }

    @Test
    @DisplayName("ids name their document and addresses are unique")
    void idsNameTheirDocumentAndAddressesAreUnique() {
        assertThat(CATALOGUE.all())
                .allSatisfy(r -> assertThat(r.document())
                        .isEqualTo(
                                switch (r.id().substring(0, r.id().indexOf('-'))) {
                                    case "MPA" -> "rfc5044";
                                    case "MPA2" -> "rfc6581";
                                    case "DDP" -> "rfc5041";
                                    case "RDMAP" -> "rfc5040";
                                    case "EXT" -> "rfc7306";
                                    // A requirement of two documents belongs to the first one.
                                    case "SEC" -> r.document().equals("rfc5040") ? "rfc5040" : "rfc5042";
                                    default -> "datagram";
                                }));
        List<String> addresses =
                CATALOGUE.all().stream().map(Requirement::address).toList();
        assertThat(addresses).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("a case is found by its id its requirement its address and its section")
    void caseIsFoundByItsId() {
        TestCase test = AllCases.suite().cases().stream()
                .filter(c -> c.id().equals("MPA-4.4-7:swapped-crc@responder"))
                .findFirst()
                .orElseThrow();

        assertThat(List.of(
                        "MPA-4.4-7:swapped-crc@responder",
                        "mpa-4.4-7",
                        "MPA-4.4-7:swapped-crc",
                        "rfc5044/4.4/7",
                        "rfc5044/4.4",
                        "rfc5044",
                        "MPA"))
                .allMatch(test::matches);
        assertThat(List.of("MPA-4.4-70", "rfc5044/5", "rfc504", "MPA-4.4-7:swap", "MPA2"))
                .noneMatch(test::matches);
    }
}
