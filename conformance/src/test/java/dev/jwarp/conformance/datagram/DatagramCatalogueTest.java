package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.TestCase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The catalogue of datagram-iWARP")
class DatagramCatalogueTest {
    private static Set<String> required() {
        return Catalogue.load().all().stream()
                .filter(r -> r.document().equals("datagram"))
                .map(Requirement::id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> tested() {
        return AllCases.suite().cases().stream()
                .filter(c -> c.device() == Role.DATAGRAM)
                .flatMap(c -> c.requirements().stream())
                .map(Requirement::id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, String> unprovoked() throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        try (InputStream in = Catalogue.class.getResourceAsStream("/dev/jwarp/conformance/unprovoked.tsv")) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(l -> l.startsWith("DG-"))
                    .forEach(l -> reasons.put(l.substring(0, l.indexOf('\t')), l.substring(l.indexOf('\t') + 1)));
        }
        return reasons;
    }

    @Test
    @DisplayName("has a case for each requirement, or a reason why it cannot be seen on the wire, and not both")
    void eachHasACaseOrAReason() throws IOException {
        Set<String> either = new TreeSet<>(tested());
        either.addAll(unprovoked().keySet());
        assertThat(either).isEqualTo(required());

        Set<String> both = new TreeSet<>(tested());
        both.retainAll(unprovoked().keySet());
        assertThat(both).isEmpty();
        assertThat(unprovoked().values()).allMatch(reason -> reason.length() > 20);
    }

    @Test
    @DisplayName("has addresses that name the document, the section and the number")
    void addresses() {
        Catalogue catalogue = Catalogue.load();
        assertThat(catalogue.get("DG-5.1-10").address()).isEqualTo("datagram/5.1/10");
        assertThat(catalogue.get("DG-11-1").source()).isEqualTo("Datagram-iWARP §11");
        for (TestCase test : AllCases.suite().cases()) {
            if (test.device() == Role.DATAGRAM) {
                assertThat(test.matches("datagram")).as(test.id()).isTrue();
                assertThat(test.matches(test.requirement().address())).isTrue();
            }
        }
    }
}
