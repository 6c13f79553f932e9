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
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The code cites the requirements that it keeps, tests and vectors show that, and docs/conformance has a page for each document: each
 * requirement with the places in the code, the tests and the cases. With {@code -Ddocs.write=true} the test writes the pages.
 */
class ConformancePagesTest {
    private static final Path PAGES = Source.TOP.resolve("docs/conformance");

    /** What is asked of the host below jwarp, not of jwarp. */
    private static final Set<String> OF_THE_HOST = Set.of("SEC-5.4.5-1");

    /** Requirements of datagram-iWARP that nothing in stack/ keeps by itself. */
    private static final Set<String> STILL_UNCITED = Set.of(
            // The kernel sends the UDP checksum unless it is told not to, and nobody here tells it.
            "DG-4.1-4",
            // A program may choose the number that it gave back just now; one that is drawn repeats once in 2^24.
            "DG-4.2-6",
            // Advice to programs.
            "DG-6-4",
            "DG-8-11",
            "DG-11.4-9",
            "DG-12-8");

    /** Line numbers change with every edit above them: pages are compared without, and get them anew when they are written. */
    private static final Pattern LINE = Pattern.compile("#L\\d+");

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
                        .filter(id -> !places.containsKey(id) && !OF_THE_HOST.contains(id))
                        .filter(id -> !STILL_UNCITED.contains(id)))
                .as("requirements that no comment in stack/ names: put the id where the code keeps or checks it")
                .isEmpty();
    }

    @Test
    @DisplayName("Tags of tests, vectors and scripts are requirements, and stand at tests")
    void tags() {
        Set<String> ids = CATALOGUE.all().stream().map(Requirement::id).collect(Collectors.toSet());

        assertThat(ids).containsAll(proofs.ids());
        assertThat(proofs.misplaced()).as("tags of what is no test").isEmpty();
    }

    @Test
    @DisplayName("Each requirement has a test, a vector or a packet script, or a sentence why it has none")
    void shown() {
        assertThat(CATALOGUE.all().stream()
                        .map(Requirement::id)
                        .filter(id -> !proofs.show(id) && !isSentence(CATALOGUE.proof(id))))
                .as("requirements that nothing shows: put @Tag(id) at the test of the stack that goes red without it")
                .isEmpty();
    }

    @Test
    @DisplayName("What has no case has a test as its proof, which has its tag")
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

    /** Where nothing can show a requirement, a sentence says why; the name of a test has no blanks. */
    private static boolean isSentence(String proof) {
        return proof.contains(" ");
    }

    @Test
    @DisplayName("the pages say what the catalogue the code and the suite say")
    void pagesSayWhatCatalogueCodeAndSuiteSay() throws IOException {
        check("README.md", index());
        for (String document : documents()) {
            check(document + ".md", page(document));
        }
    }

    private static List<String> documents() {
        return TITLES.keySet().stream().filter(d -> !of(d).isEmpty()).toList();
    }

    private static List<Requirement> of(String document) {
        return CATALOGUE.all().stream().filter(r -> page(r).equals(document)).toList();
    }

    /** Some rows of RFC 5042's table quote RFC 5040: they stay with their kind. */
    private static String page(Requirement requirement) {
        return requirement.id().startsWith("SEC-") ? "rfc5042" : requirement.document();
    }

    private static String index() {
        StringBuilder page = new StringBuilder("""
            # Conformance

            What the documents ask of an iWARP peer, requirement by requirement: an id that never changes, in our own words what is
            asked, where jwarp keeps it, which tests of the stack, vectors and packet scripts show that, and which cases of
            `jwarp conform` test it on any peer. A test has the id as its tag: `mvn -Dgroups=DDP-7.1-1 test` runs those of a requirement.
            Lines in links are those of the day on which the pages were written.

            | document | requirements | of them MUST or MUST NOT | with tests | with cases | cases |
            |---|---|---|---|---|---|
            """);
        for (String document : documents()) {
            List<Requirement> rows = of(document);
            row(
                    page,
                    "[" + TITLES.get(document) + "](" + document + ".md)",
                    "" + rows.size(),
                    "" + rows.stream().filter(r -> r.strength().binding()).count(),
                    "" + rows.stream().filter(r -> proofs.show(r.id())).count(),
                    "" + rows.stream().filter(r -> !cases(r).isEmpty()).count(),
                    ""
                            + CASES.stream()
                                    .filter(c -> page(c.requirement()).equals(document))
                                    .count());
        }
        page.append("""

            More pages:

            - [methodology.md](methodology.md): what is tested how, what a verdict means, how to dispute one, what other suites have.
            - [target.md](target.md): the program that a tester needs above the device, to provoke what the device must send, take or refuse.
            - [profiles.md](profiles.md): the programs that the tester knows: perftest, rsockets and others, and what each lets it test.
            - [custom.md](custom.md): the same with a program of your own, which a text file describes.
            - [mutants.md](mutants.md): faulty stacks, and the case that catches each.
            - [conform.schema.json](conform.schema.json): the JSON report.

            ## Without a case

            | requirement | what is asked | why no case shows it | what does |
            |---|---|---|---|
            """);
        for (Requirement r : CATALOGUE.all()) {
            if (!CATALOGUE.unprovoked(r.id()).isEmpty()) {
                row(page, link(r), r.text(), CATALOGUE.unprovoked(r.id()), proof(r));
            }
        }
        return page.append(
                        "\nThis page and those of the documents are made from the catalogue, the code and the suite by"
                                + " `ConformancePagesTest`.\n")
                .toString();
    }

    private static String page(String document) {
        StringBuilder page = new StringBuilder("# " + TITLES.get(document) + "\n\n");
        page.append("""
            Made by `ConformancePagesTest`; see the [index](README.md). A case runs for both roles of the device under test unless it names one.

            | id | § | strength | what is asked | where jwarp keeps it | tests | cases |
            |---|---|---|---|---|---|---|
            """);
        for (Requirement r : of(document)) {
            row(
                    page,
                    "<a id=\"" + anchor(r) + "\"></a>" + r.id(),
                    r.sections(),
                    r.strength().words(),
                    r.text(),
                    places.getOrDefault(r.id(), new TreeSet<>()).stream()
                            .map(Place::link)
                            .collect(Collectors.joining("<br>")),
                    tests(r),
                    cases(r).isEmpty() ? "none: " + CATALOGUE.unprovoked(r.id()) : String.join("<br>", cases(r)));
        }
        return page.toString();
    }

    private static String tests(Requirement requirement) {
        String tests = Stream.concat(
                        proofs.tests(requirement.id()).stream().map(Place::link),
                        proofs.data(requirement.id()).stream())
                .collect(Collectors.joining("<br>"));
        return tests.isEmpty() ? CATALOGUE.proof(requirement.id()) : tests;
    }

    private static String proof(Requirement requirement) {
        String proof = CATALOGUE.proof(requirement.id());
        return isSentence(proof)
                ? proof
                : proofs.tests(requirement.id()).stream()
                        .filter(p -> p.name().equals(proof))
                        .map(Place::link)
                        .collect(Collectors.joining());
    }

    /** The cases that name it; a role is told where there is only one. */
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

    private static String link(Requirement requirement) {
        return "[" + requirement.id() + "](" + requirement.link() + ")";
    }

    private static String anchor(Requirement requirement) {
        return requirement.id().toLowerCase(Locale.ROOT);
    }

    private static void row(StringBuilder page, String... cells) {
        page.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static void check(String name, String wanted) throws IOException {
        Path page = PAGES.resolve(name);
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(page, wanted);
        }
        assertThat(withoutLines(Files.exists(page) ? Files.readString(page) : ""))
                .as(
                        "docs/conformance/%s is out of date: run mvn -pl checks/architecture -am test"
                                + " -Dtest=ConformancePagesTest -Ddocs.write=true -Dsurefire.failIfNoSpecifiedTests=false",
                        name)
                .isEqualTo(withoutLines(wanted));
    }

    private static String withoutLines(String page) {
        return LINE.matcher(page).replaceAll("");
    }
}
