package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The specification of datagram-iWARP, with its extensions, agrees with the catalogue, and the page of the
 * specification lists its sections. With {@code -Ddocs.write=true} the test writes that list. The checks of the draft's XML are in {@code .ci/draft}.
 */
@DisplayName("docs/draft-jwarp-datagram-iwarp*-00.md")
class DraftTest {
    private static final Path PAGE = Source.TOP.resolve("docs/datagram-iwarp.md");
    private static final Path FACTORS = Source.TOP.resolve("docs/experiments/hostile/after.txt");
    private static final String LANGUAGE = "Requirements Language";
    private static final String TIMERS = "Timers"; // or "Limits and Timers"
    private static final Pattern STRENGTH = Pattern.compile(
            "\\b(MUST NOT|MUST|SHALL NOT|SHALL|SHOULD NOT|SHOULD|NOT RECOMMENDED|RECOMMENDED|REQUIRED|MAY"
                    + "|OPTIONAL)\\b");
    private static final Pattern TIMER = Pattern.compile("\\bT_[A-Z_]+\\b");
    private static final Pattern TIME = Pattern.compile("\\b[\\d.,]+ (ms|s|h)\\b|\\bseconds\\b");
    private static final Pattern CONSTANT = Pattern.compile(
            "(?m)= ((?:TimeUnit\\.)?(?:millis|MILLISECONDS\\.toNanos|SECONDS\\.toNanos)?)\\(?([\\d_]+)\\)?;"
                    + " // (?:.*, )?(T_[A-Z_]+)$");
    private static final Pattern FIXED = Pattern.compile("[\\d,]+ (ms|s) \\(fixed\\)");
    private static final Pattern LIMITS = Pattern.compile("(?m)^\\| limit \\| default.*\n\\|---.*\n((?:\\|.*\n)+)");
    private static final Pattern LIMIT = Pattern.compile("\\| ([^|]+) \\| ([\\d,]+)(?: \\((.*?)\\))? \\| [^|]+ \\|");
    private static final Pattern FACTOR =
            Pattern.compile("(?m)^(\\S.*) \\((proved once|a stranger)\\) +\\d+ +\\d+ +([\\d.]+) ");

    /** The names by which the drafts cite each other. */
    private static final Map<String, Draft> DRAFTS = new LinkedHashMap<>();

    static {
        DRAFTS.put("DGRAM", draft("", ""));
        DRAFTS.put("KEYS", draft("-keys", "K."));
        DRAFTS.put("GROUPS", draft("-groups", "G."));
        DRAFTS.put("RESOLVING", draft("-resolving", "R."));
    }

    private static final List<Draft.Sentence> SENTENCES =
            DRAFTS.values().stream().flatMap(d -> d.sentences().stream()).toList();
    private static final Pattern CITED = Pattern.compile("\\{\\{Section ([0-9.]+) of ([A-Z]+)}}");

    private static final List<Requirement> REQUIREMENTS = Catalogue.load().all().stream()
            .filter(r -> r.document().equals("datagram"))
            .toList();

    private static Draft draft(String name, String prefix) {
        return Draft.read(Source.TOP.resolve("docs/draft-jwarp-datagram-iwarp" + name + "-00.md"), prefix);
    }

    @Test
    @DisplayName("names each requirement once, in its section of the catalogue")
    void once() {
        assertThat(SENTENCES.stream().flatMap(s -> s.requirements().stream().map(id -> id + " in " + s.section())))
                .containsExactlyInAnyOrderElementsOf(REQUIREMENTS.stream()
                        .map(r -> r.id() + " in " + r.sections())
                        .toList());
    }

    @Test
    @DisplayName(
            "has the strengths of the catalogue; a sentence without an id belongs to one of its paragraph, list or table")
    void strength() {
        Set<Integer> blocks = SENTENCES.stream()
                .filter(s -> !s.requirements().isEmpty())
                .map(Draft.Sentence::block)
                .collect(Collectors.toSet());
        for (Draft.Sentence sentence : SENTENCES) {
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
        for (Draft.Sentence sentence : SENTENCES) {
            if (sentence.title().endsWith(TIMERS)) {
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
        Map<String, String> values = SENTENCES.stream()
                .filter(s -> s.title().endsWith(TIMERS) && s.text().startsWith("| T_"))
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
    @DisplayName("has the limits of docs/limits.md, where the code's are checked, with their defaults and ranges")
    void limits() {
        Map<String, LimitsPage.Limit> page =
                LimitsPage.read().limits().stream().collect(Collectors.toMap(LimitsPage.Limit::name, limit -> limit));
        List<String> rows = DRAFTS.values().stream()
                .flatMap(d -> LIMITS.matcher(d.text()).results())
                .flatMap(table -> table.group(1).lines())
                .toList();
        assertThat(rows).hasSizeGreaterThan(30).allSatisfy(text -> {
            Matcher row = LIMIT.matcher(text);
            assertThat(row.matches()).as(text).isTrue();
            assertThat(page).containsKey(row.group(1));
            LimitsPage.Limit limit = page.get(row.group(1));
            assertThat(row.group(2).replace(",", "")).as(row.group()).isEqualTo(limit.value());
            if (row.group(3) != null) {
                assertThat(row.group(3).replace(",", "")).as(row.group()).isEqualTo(limit.range());
            }
        });
    }

    @Test
    @DisplayName("has the measured factors of amplification")
    void factors() throws IOException {
        String text = DRAFTS.get("DGRAM").text();
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
        assertThat(DRAFTS.values())
                .allSatisfy(draft -> assertThat(draft.text().chars().filter(c -> c > 126 || (c < 32 && c != '\n')))
                        .isEmpty());
    }

    @Test
    @DisplayName("has no line of more than 120 characters, but for rows of tables")
    void lineLength() {
        assertThat(DRAFTS.values().stream()
                        .flatMap(d -> d.text()
                                .substring(d.text().indexOf("--- abstract"))
                                .lines()))
                .filteredOn(line -> !line.startsWith("|"))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }

    @Test
    @DisplayName("has its sections, with their numbers, in the list of its page")
    void contents() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf("| section |");
        String list = DRAFTS.values().stream()
                .flatMap(d -> d.headings().stream()
                        .map(h -> "| %s | [%s](%s#%s) |\n".formatted(h.number(), h.title(), d.file(), h.anchor())))
                .collect(Collectors.joining("", "| section | title |\n|---|---|\n", ""));
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + list);
        }
        assertThat(Files.readString(PAGE).substring(begin))
                .as("write it with -Ddocs.write=true")
                .isEqualTo(list);
    }

    @Test
    @DisplayName("cites only sections of the other drafts that exist")
    void citedSections() {
        List<MatchResult> cited = SENTENCES.stream()
                .flatMap(s -> CITED.matcher(s.text()).results())
                .filter(m -> DRAFTS.containsKey(m.group(2)))
                .toList();
        assertThat(cited)
                .isNotEmpty()
                .allSatisfy(m -> assertThat(DRAFTS.get(m.group(2)).headings())
                        .extracting(Draft.Heading::number)
                        .as(m.group())
                        .contains(m.group(1)));
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(m -> m.group()).collect(Collectors.toCollection(TreeSet::new));
    }
}
