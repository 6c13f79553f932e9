package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The specification of datagram-iWARP and the catalogue agree, and the page of the specification lists its sections.
 * With {@code -Ddocs.write=true} the test writes that list. The checks of the draft's XML are in {@code .ci/draft}.
 */
@DisplayName("docs/draft-jwarp-datagram-iwarp-00.md")
class DraftTest {
    private static final Path PAGE = Source.TOP.resolve("docs/datagram-iwarp.md");
    private static final Path FACTORS = Source.TOP.resolve("docs/experiments/hostile/after.txt");
    private static final String LANGUAGE = "Requirements Language";
    private static final String TIMERS = "Timers";
    private static final Pattern STRENGTH = Pattern.compile(
            "\\b(MUST NOT|MUST|SHALL NOT|SHALL|SHOULD NOT|SHOULD|NOT RECOMMENDED|RECOMMENDED|REQUIRED|MAY"
                    + "|OPTIONAL)\\b");
    private static final Pattern TIMER = Pattern.compile("\\bT_[A-Z_]+\\b");
    private static final Pattern TIME = Pattern.compile("\\b[\\d.,]+ (ms|s|h)\\b|\\bseconds\\b");
    private static final Pattern CONSTANT = Pattern.compile(
            "(?m)= ((?:TimeUnit\\.)?(?:millis|MILLISECONDS\\.toNanos|SECONDS\\.toNanos)?)\\(?([\\d_]+)\\)?;"
                    + " // (?:.*, )?(T_[A-Z_]+)$");
    private static final Pattern FIXED = Pattern.compile("[\\d,]+ (ms|s) \\(fixed\\)");
    private static final Pattern FACTOR =
            Pattern.compile("(?m)^(\\S.*) \\((proved once|a stranger)\\) +\\d+ +\\d+ +([\\d.]+) ");

    private static final Draft DRAFT = Draft.read(Source.TOP.resolve("docs/draft-jwarp-datagram-iwarp-00.md"));
    private static final List<Requirement> REQUIREMENTS = Catalogue.load().all().stream()
            .filter(r -> r.document().equals("datagram"))
            .toList();

    @Test
    @DisplayName("names each requirement once, in its section of the catalogue")
    void once() {
        assertThat(DRAFT.sentences().stream()
                        .flatMap(s -> s.requirements().stream().map(id -> id + " in " + s.section())))
                .containsExactlyInAnyOrderElementsOf(REQUIREMENTS.stream()
                        .map(r -> r.id() + " in " + r.sections())
                        .toList());
    }

    @Test
    @DisplayName(
            "has the strengths of the catalogue; a sentence without an id belongs to one of its paragraph, list or table")
    void strength() {
        Set<Integer> blocks = DRAFT.sentences().stream()
                .filter(s -> !s.requirements().isEmpty())
                .map(Draft.Sentence::block)
                .collect(Collectors.toSet());
        for (Draft.Sentence sentence : DRAFT.sentences()) {
            List<String> named = sentence.requirements();
            if (named.isEmpty() && blocks.contains(sentence.block())) {
                continue;
            }
            if (!sentence.title().equals(LANGUAGE)) {
                assertThat(found(STRENGTH, sentence.text()))
                        .as("section %s: %s", sentence.section(), sentence.text())
                        .isEqualTo(REQUIREMENTS.stream()
                                .filter(r -> named.contains(r.id()))
                                .map(r -> r.strength().words())
                                .collect(Collectors.toCollection(TreeSet::new)));
            }
        }
    }

    @Test
    @DisplayName("has all times in its table of timers, and uses each of them")
    void timers() {
        Set<String> table = new TreeSet<>();
        Set<String> used = new TreeSet<>();
        for (Draft.Sentence sentence : DRAFT.sentences()) {
            if (sentence.title().equals(TIMERS)) {
                if (sentence.text().startsWith("| T_")) {
                    table.add(sentence.text().split(" ", 3)[1]);
                }
            } else {
                used.addAll(found(TIMER, sentence.text()));
                assertThat(found(TIME, sentence.text()))
                        .as("times outside of the table, section %s: %s", sentence.section(), sentence.text())
                        .isEmpty();
            }
        }
        assertThat(used).isEqualTo(table);
    }

    @Test
    @DisplayName("has the value of each constant that names one of its times, and a constant for each fixed time")
    void constants() throws IOException {
        Map<String, String> values = DRAFT.sentences().stream()
                .filter(s -> s.title().equals(TIMERS) && s.text().startsWith("| T_"))
                .map(s -> s.text().split(" *\\| *"))
                .collect(Collectors.toMap(cells -> cells[1], cells -> cells[3]));
        Set<String> named = new TreeSet<>();
        for (Source source : Source.all("/src/main/", "stack")) {
            for (MatchResult constant :
                    CONSTANT.matcher(source.text()).results().toList()) {
                long number = Long.parseLong(constant.group(2).replace("_", ""));
                boolean millis = constant.group(1).toLowerCase(Locale.ROOT).contains("millis");
                String value = !millis ? number + " s" : number % 1000 == 0 ? number / 1000 + " s" : number + " ms";
                assertThat(values.get(constant.group(3)))
                        .as(constant.group())
                        .containsPattern("(?<![\\d,.])" + value + "\\b");
                named.add(constant.group(3));
            }
        }
        assertThat(named)
                .containsAll(values.keySet().stream()
                        .filter(time -> FIXED.matcher(values.get(time)).matches())
                        .toList());
    }

    @Test
    @DisplayName("has the measured factors of amplification")
    void factors() throws IOException {
        String text = DRAFT.text();
        String measured = Files.readString(FACTORS);
        assertThat(FACTOR.matcher(measured).results()).hasSizeGreaterThan(30).allSatisfy(row -> {
            String name = Pattern.quote(row.group(1).replace(":", ","));
            String value = Pattern.quote(row.group(3));
            String cells = row.group(2).equals("a stranger") ? "[\\d.]+ \\| " + value : value + " \\| [\\d.]+";
            assertThat(text).containsPattern("\\| " + name + " \\| " + cells + " \\|");
        });
    }

    @Test
    @DisplayName("has plain ASCII")
    void ascii() {
        assertThat(DRAFT.text().chars().filter(c -> c > 126 || (c < 32 && c != '\n')))
                .isEmpty();
    }

    @Test
    @DisplayName("has no line of more than 120 characters, but for rows of tables")
    void lineLength() {
        assertThat(DRAFT.text().substring(DRAFT.text().indexOf("--- abstract")).lines())
                .filteredOn(line -> !line.startsWith("|"))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }

    @Test
    @DisplayName("has its sections, with their numbers, in the list of its page")
    void contents() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf("| section |");
        String list = DRAFT.headings().stream()
                .map(h -> "| %s | [%s](draft-jwarp-datagram-iwarp-00.md#%s) |\n"
                        .formatted(h.number(), h.title(), h.anchor()))
                .collect(Collectors.joining("", "| section | title |\n|---|---|\n", ""));
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + list);
        }
        assertThat(Files.readString(PAGE).substring(begin))
                .as("write it with -Ddocs.write=true")
                .isEqualTo(list);
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(m -> m.group()).collect(Collectors.toCollection(TreeSet::new));
    }
}
