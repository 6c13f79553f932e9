package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.TestCase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The catalogue of datagram-iWARP")
class DatagramCatalogueTest {
    @Test
    @DisplayName("says in a sentence why a requirement has no case")
    void reasons() {
        Catalogue catalogue = Catalogue.load();
        assertThat(catalogue.all().stream().map(r -> catalogue.unprovoked(r.id())))
                .allMatch(reason -> reason.isEmpty() || reason.length() > 20);
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
