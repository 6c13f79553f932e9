package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.suite.TestCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The code cites the requirements that it keeps; tests and vectors prove them. With {@code -Ddocs.write=true} the test
 * writes the table of docs/conformance/README.md and, for a release, a page for each document: its requirements with
 * the places in the code, tests and cases.
 */
class ConformancePagesTest {
    private static final Path PAGES = Source.TOP.resolve("packaging/dist/data/conformance");

    /** The rows of the table of coverage. */
    private static final Pattern TABLE = Pattern.compile("\\| RFC 5044: .*\n(\\|.*\n)*");

    /** Requirements of the host below jwarp, not of jwarp. */
    private static final Set<String> OF_THE_HOST = Set.of("SEC-5.4.5-1");

    private static final Map<String, String> TITLES = new LinkedHashMap<>();

    static {
        TITLES.put("rfc5044", "RFC 5044: MPA");
        TITLES.put("rfc6581", "RFC 6581: enhanced connection establishment");
        TITLES.put("rfc5041", "RFC 5041: DDP");
        TITLES.put("rfc5040", "RFC 5040: RDMAP");
        TITLES.put("rfc7306", "RFC 7306: Atomic Operations and Immediate Data");
        TITLES.put("rfc5042", "RFC 5042: security");
        TITLES.put("datagram", "Datagram-iWARP");
    }

    private static final Catalogue CATALOGUE = Catalogue.load();
    private static final List<TestCase> CASES = AllCases.suite().cases();
    private static Map<String, SortedSet<Place>> places;
    private static Proofs proofs;

    @BeforeAll
    static void read() throws IOException {
        places = Citations.find();
        proofs = Proofs.find();
    }

    @Test
    @DisplayName("the code cites only requirements that exist")
    void codeCitesOnlyRequirementsThatExist() {
        Set<String> ids = CATALOGUE.all().stream().map(Requirement::id).collect(Collectors.toSet());

        assertThat(places.keySet()).isSubsetOf(ids);
    }

    @Test
    @DisplayName("the code cites every requirement where it keeps it")
    void codeCitesEveryRequirementWhereItKeepsIt() {
        assertThat(CATALOGUE.all().stream()
                        .map(Requirement::id)
                        .filter(id -> !places.containsKey(id) && !OF_THE_HOST.contains(id)))
                .as("requirements that no comment in stack/ names: put the id where the code keeps or checks it")
                .isEmpty();
    }

    @Test
    @DisplayName("the tags of tests, vectors and scripts are requirements, and belong to tests")
    void tags() {
        Set<String> ids = CATALOGUE.all().stream().map(Requirement::id).collect(Collectors.toSet());

        assertThat(ids).containsAll(proofs.ids());
        assertThat(proofs.misplaced()).as("tags that belong to no test").isEmpty();
    }

    @Test
    @DisplayName("each requirement has a test, a vector or a packet script, or a sentence why it has none")
    void shown() {
        assertThat(CATALOGUE.all().stream()
                        .map(Requirement::id)
                        .filter(id -> !proofs.show(id) && !isSentence(CATALOGUE.proof(id))))
                .as("requirements without a proof: put @Tag(id) at the test of the stack that fails without it")
                .isEmpty();
    }

    @Test
    @DisplayName("each requirement without a case has a test as its proof, with the requirement's tag")
    void provenWithoutACase() {
        for (Requirement r : CATALOGUE.all()) {
            String proof = CATALOGUE.proof(r.id());
            assertThat(proof.isEmpty())
                    .as("%s has a case or a proof", r.id())
                    .isEqualTo(CATALOGUE.unprovoked(r.id()).isEmpty());
            if (!proof.isEmpty() && !isSentence(proof)) {
                assertThat(proofs.tests(r.id()))
                        .as(r.id())
                        .extracting(Place::name)
                        .contains(proof);
            }
        }
    }

    /** A proof that is no test is a sentence; the name of a test has no blanks. */
    private static boolean isSentence(String proof) {
        return proof.contains(" ");
    }

    @Test
    @DisplayName("the table of coverage agrees with the catalogue, the code and the suite")
    void coverage() throws IOException {
        Path page = Source.TOP.resolve("docs/conformance/README.md");
        String text = Files.readString(page);
        String wanted = TABLE.matcher(text).replaceFirst(Matcher.quoteReplacement(table()));
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(page, wanted);
            Files.createDirectories(PAGES);
            for (String document : documents()) {
                Files.writeString(PAGES.resolve(document + ".md"), page(document));
            }
        } else {
            assertThat(text)
                    .as("docs/conformance/README.md is out of date: run mvn -pl checks/architecture -am test"
                            + " -Dtest=ConformancePagesTest -Ddocs.write=true -Dsurefire.failIfNoSpecifiedTests=false")
                    .isEqualTo(wanted)
                    .contains(table());
        }
    }

    @Test
    @DisplayName("each requirement has a row in the table of its document")
    void rows() {
        assertThat(documents().stream().flatMap(d -> page(d).lines()))
                .filteredOn(line -> line.matches("\\| [A-Z0-9]+-([A-Z]\\.)?\\d.*"))
                .extracting(line -> line.substring(2, line.indexOf(' ', 2)))
                .containsExactlyInAnyOrderElementsOf(
                        CATALOGUE.all().stream().map(Requirement::id).toList());
    }

    private static List<String> documents() {
        return List.copyOf(TITLES.keySet());
    }

    private static List<Requirement> of(String document) {
        return CATALOGUE.all().stream().filter(r -> page(r).equals(document)).toList();
    }

    /** Some rows of RFC 5042's table quote RFC 5040: they stay in the table of their kind. */
    private static String page(Requirement requirement) {
        return requirement.id().startsWith("SEC-") ? "rfc5042" : requirement.document();
    }

    private static String table() {
        StringBuilder table = new StringBuilder();
        for (String document : documents()) {
            List<Requirement> rows = of(document);
            row(
                    table,
                    TITLES.get(document),
                    "" + rows.size(),
                    "" + rows.stream().filter(r -> r.strength().binding()).count(),
                    "" + rows.stream().filter(r -> proofs.show(r.id())).count(),
                    "" + rows.stream().filter(r -> !cases(r).isEmpty()).count(),
                    ""
                            + CASES.stream()
                                    .filter(c -> page(c.requirement()).equals(document))
                                    .count());
        }
        return table.toString();
    }

    private static String page(String document) {
        StringBuilder page = new StringBuilder("# " + TITLES.get(document) + "\n\n");
        page.append("""
            A case runs for both roles of the device under test unless it names one.

            | id | § | strength | what is asked | where jwarp keeps it | tests | cases |
            |---|---|---|---|---|---|---|
            """);
        for (Requirement r : of(document)) {
            row(
                    page,
                    r.id(),
                    r.sections(),
                    r.strength().words(),
                    r.text(),
                    words(places.getOrDefault(r.id(), new TreeSet<>())),
                    tests(r),
                    cases(r).isEmpty() ? "none: " + CATALOGUE.unprovoked(r.id()) : String.join("<br>", cases(r)));
        }
        return page.toString();
    }

    private static String words(Set<Place> places) {
        return places.stream().map(Place::words).collect(Collectors.joining("<br>"));
    }

    private static String tests(Requirement requirement) {
        String tests = Stream.concat(
                        proofs.tests(requirement.id()).stream().map(Place::words),
                        proofs.data(requirement.id()).stream())
                .collect(Collectors.joining("<br>"));
        return tests.isEmpty() ? CATALOGUE.proof(requirement.id()) : tests;
    }

    /** The cases that name it; the role is named if there is only one. */
    private static List<String> cases(Requirement requirement) {
        Map<String, List<TestCase>> byName = CASES.stream()
                .filter(c -> c.requirements().contains(requirement))
                .collect(Collectors.groupingBy(
                        c -> c.id().substring(0, c.id().indexOf('@')), LinkedHashMap::new, Collectors.toList()));
        return byName.entrySet().stream()
                .map(e -> "`"
                        + (e.getValue().size() > 1
                                ? e.getKey()
                                : e.getValue().get(0).id()) + "`")
                .toList();
    }

    private static void row(StringBuilder page, String... cells) {
        page.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
