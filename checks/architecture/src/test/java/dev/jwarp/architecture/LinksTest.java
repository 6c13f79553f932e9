package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The links of the pages lead to existing files and headings, and the tables are complete. */
@DisplayName("The pages")
class LinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:\\s]*)(?:#([^)]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
    private static final Pattern ID = Pattern.compile("<a id=\"([^\"]+)\"");
    /** A bar that does not separate cells. */
    private static final Pattern BAR = Pattern.compile("(?<!\\\\)\\|");

    private static final List<Path> PAGES = pages();

    /** Largest size of a picture in bytes. */
    private static final long PICTURE = 80 * 1024;

    /** Other allowed files: pictures, schemas, a model, and the output of a run from which a test takes figures. */
    private static final Pattern BESIDE_PAGES =
            Pattern.compile("docs/(.*\\.(md|png)|.*\\.schema\\.json|model/rd\\.pml|experiments/hostile/after\\.txt)");

    @Test
    @DisplayName("stand beside pictures of at most 80 KiB, and beside no generated output")
    void besidePages() throws IOException {
        try (Stream<Path> docs = Files.walk(Source.TOP.resolve("docs"))) {
            assertThat(docs.filter(Files::isRegularFile)).allSatisfy(file -> {
                assertThat(Source.TOP.relativize(file).toString()).matches(BESIDE_PAGES);
                assertThat(file.toString().endsWith(".png") ? Files.size(file) : 0)
                        .isLessThanOrEqualTo(PICTURE);
            });
        }
    }

    private static final int LONGEST_LINE = 120;

    /** Pages that are generated, and the Internet-Draft. */
    private static final Pattern NOT_WRITTEN_BY_HAND = Pattern.compile(".*/(draft-.*|flaky|siw-explanations)\\.md");

    @Test
    @DisplayName("have no line of more than 120 characters, except in tables, code and addresses")
    void lineLength() throws IOException {
        for (Path page : PAGES) {
            if (!NOT_WRITTEN_BY_HAND.matcher(page.toString()).matches()) {
                assertThat(text(page))
                        .filteredOn(line ->
                                line.length() > LONGEST_LINE && line.strip().indexOf(' ') >= 0)
                        .as(page.toString())
                        .allSatisfy(line -> assertThat(line).matches("(\\||    ).*"));
            }
        }
    }

    private static List<Path> pages() {
        try (Stream<Path> top = Files.list(Source.TOP)) {
            List<Path> pages = new ArrayList<>(top.filter(Files::isRegularFile).toList());
            for (String folder : List.of("docs", "examples", "interop", "test-vectors")) {
                try (Stream<Path> all = Files.walk(Source.TOP.resolve(folder))) {
                    all.filter(file -> !("/" + Source.TOP.relativize(file)).contains("/target/"))
                            .forEach(pages::add);
                }
            }
            pages.removeIf(file -> !file.toString().endsWith(".md"));
            return pages;
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@return the lines outside of code} The Internet-Draft has a notation of its own. */
    private static List<String> text(Path page) throws IOException {
        List<String> text = new ArrayList<>();
        boolean code = page.getFileName().toString().startsWith("draft-");
        for (String line : Files.readAllLines(page)) {
            boolean fence = line.startsWith("```");
            code ^= fence;
            text.add(code || fence ? "" : line);
        }
        return text;
    }

    /** {@return the anchors of a page, as GitHub makes them of its headings} */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (String line : text(page)) {
            ID.matcher(line).results().forEach(id -> anchors.add(id.group(1)));
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String anchor = heading.group(1)
                        .strip()
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
                int times = seen.merge(anchor, 1, Integer::sum);
                anchors.add(times == 1 ? anchor : anchor + "-" + (times - 1));
            }
        }
        return anchors;
    }

    @Test
    @DisplayName("link to existing files, and to existing headings in them")
    void links() throws IOException {
        for (Path page : PAGES) {
            for (String line : text(page)) {
                for (Matcher link = LINK.matcher(line); link.find(); ) {
                    Path to = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
                    assertThat(to).as("%s links to %s", page, link.group()).exists();
                    String anchor = link.group(2);
                    if (anchor != null
                            && to.toString().endsWith(".md")
                            && !text(to).stream().allMatch(String::isEmpty)) {
                        assertThat(anchors(to))
                                .as("%s links to %s", page, link.group())
                                .contains(anchor);
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("have tables whose rows have as many cells as the first")
    void tables() throws IOException {
        for (Path page : PAGES) {
            int cells = 0;
            for (String line : text(page)) {
                boolean row = line.startsWith("|");
                int here = row ? (int) BAR.matcher(line).results().count() : 0;
                if (row && cells > 0) {
                    assertThat(here).as("%s: %s", page, line).isEqualTo(cells);
                }
                cells = here;
            }
        }
    }
}
