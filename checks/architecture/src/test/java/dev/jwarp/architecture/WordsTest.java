package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.LiteralTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Texts for users say bytes, and name the thread, program or peer that they speak of. Pages in the language of the RFCs
 * may say octet: the specification of datagram-iWARP, and those that list requirements in its words.
 */
@DisplayName("Plain words are used")
class WordsTest {
    private static final Pattern VAGUE = words("nobody|somebody|anybody|whom");
    private static final Pattern VAGUE_OR_OCTET = words("nobody|somebody|anybody|whom|octets?");

    /** Names of code, and targets of links. */
    private static final Pattern NO_PROSE = Pattern.compile("(?s)```.*?\n```|`[^`\n]*`|]\\([^)\n]*\\)");

    /** The output of a run of the tester against Linux's siw. */
    private static final Pattern PRINTED = Pattern.compile("conformance/siw-.*");

    private static final Pattern OF_RFCS = Pattern.compile(
            "(draft-jwarp-)?datagram-iwarp(-[a-z]+)?(-00)?\\.md|conformance/(rfc\\d+|datagram|mutants|README)\\.md");

    private static Pattern words(String alternatives) {
        return Pattern.compile("\\b(" + alternatives + ")\\b", Pattern.CASE_INSENSITIVE);
    }

    @Test
    @DisplayName("in the verbs and their Javadoc")
    void verbs() throws IOException {
        List<String> found = new ArrayList<>();
        for (Source source : Source.all("/src/main/", "verbs-api")) {
            search(VAGUE_OR_OCTET, source.place("", 0).file(), source.text(), found);
        }
        assertThat(found).isEmpty();
    }

    @Test
    @DisplayName("in the code of all modules and its comments")
    void code() throws IOException {
        List<String> found = new ArrayList<>();
        for (Source source : Source.all("/src/main/", Source.folders())) {
            search(VAGUE, source.place("", 0).file(), source.text(), found);
        }
        assertThat(found).isEmpty();
    }

    @Test
    @DisplayName("in the pages of docs")
    void pages() throws IOException {
        Path docs = Source.TOP.resolve("docs");
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(docs)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".md")).toList()) {
                String page = docs.relativize(file).toString().replace('\\', '/');
                if (!PRINTED.matcher(page).matches()) {
                    Pattern banned = OF_RFCS.matcher(page).matches() ? VAGUE : VAGUE_OR_OCTET;
                    String prose = NO_PROSE.matcher(Files.readString(file)).replaceAll(" ");
                    search(banned, page, prose, found);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    @DisplayName("in the output of the tools")
    void tools() throws IOException {
        List<String> found = new ArrayList<>();
        for (Source source : Source.all("/src/main/", "tools")) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitLiteral(LiteralTree literal, Void none) {
                    // A literal without a space is a name, such as a JSON key.
                    if (literal.getValue() instanceof String text && text.contains(" ")) {
                        search(
                                VAGUE_OR_OCTET,
                                source.place("", source.start(literal)).file(),
                                text,
                                found);
                    }
                    return super.visitLiteral(literal, null);
                }
            }.scan(source.tree(), null);
        }
        assertThat(found).isEmpty();
    }

    private static void search(Pattern banned, String where, String text, List<String> found) {
        banned.matcher(text)
                .results()
                .forEach(word -> found.add(where + ": " + around(text, word.start(), word.end())));
    }

    private static String around(String text, int from, int to) {
        return text.substring(Math.max(0, from - 40), Math.min(text.length(), to + 40))
                .replaceAll("\\s+", " ");
    }
}
