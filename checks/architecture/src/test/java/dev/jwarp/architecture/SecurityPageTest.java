package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/security.md has every attack of RFC 5042, and its rows name existing code and tests. */
@DisplayName("The page of security")
class SecurityPageTest {
    private static final Path PAGE = Source.TOP.resolve("docs/security.md");
    private static final Pattern TEST = Pattern.compile("`(\\w+#\\w+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)[^)]*\\)");

    /** The sections of RFC 5042 §5 to §7 that are about one attack each; §5.4 is about services against those of §5. */
    private static final List<String> ATTACKS = List.of(
            ("5.1.1 5.1.2 5.1.3 5.2 5.3 5.4 6.1.1 6.2.1 6.2.2 6.2.3 6.3.1 6.3.2 6.3.3 6.3.4 6.3.5 6.3.6 6.4.1 6.4.2 6.4.3.1"
                            + " 6.4.3.2 6.4.3.3 6.4.4 6.4.5 6.4.6 6.5 7.1 7.2 7.3")
                    .split(" "));

    /** Attacks that jwarp does not defend against, as the page says, or leaves to the program. */
    private static final List<String> LEFT_TO_OTHERS = List.of("5.4", "6.3.6");

    static Stream<List<String>> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("|") && !line.startsWith("|---"))
                .map(line -> Arrays.stream(
                                line.substring(1, line.lastIndexOf('|')).split("\\|", -1))
                        .map(String::strip)
                        .toList())
                .filter(cells -> cells.size() >= 5 && !cells.contains("attack"));
    }

    @Test
    @DisplayName("has a row for every attack of RFC 5042")
    void complete() throws IOException {
        List<String> sections = rows().map(cells -> cells.get(0)).toList();
        assertThat(sections).containsAll(ATTACKS);
    }

    @ParameterizedTest
    @MethodSource("rows")
    @DisplayName("names existing tests in each row in which jwarp does something")
    void tests(List<String> cells) throws IOException {
        String tests = cells.get(cells.size() - 2);
        assertThat(TEST.matcher(tests).replaceAll("")).as("only names of tests").isBlank();
        List<String> named =
                TEST.matcher(tests).results().map(found -> found.group(1)).toList();
        assertThat(named.isEmpty()).isEqualTo(LEFT_TO_OTHERS.contains(cells.get(0)));
        for (String test : named) {
            assertThat(NamedTests.isThere(test)).as(test).isTrue();
        }
    }

    @Test
    @DisplayName("links to existing files, and other pages link to it")
    void links() throws IOException {
        List<String> links = LINK.matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(links).hasSizeGreaterThan(20);
        assertThat(links)
                .allSatisfy(link -> assertThat(PAGE.resolveSibling(link)).exists());
        for (String page : List.of("README.md", "ARCHITECTURE.md", "SECURITY.md")) {
            assertThat(Files.readString(Source.TOP.resolve(page))).contains("docs/security.md");
        }
    }
}
