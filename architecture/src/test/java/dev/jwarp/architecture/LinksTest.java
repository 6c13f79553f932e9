package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The links of the pages within the repository lead somewhere. */
@DisplayName("Links")
class LinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

    @Test
    @DisplayName("within the repository lead to files that there are")
    void leadSomewhere() throws IOException {
        try (Stream<Path> top = Files.list(Snippet.TOP);
                Stream<Path> docs = Files.walk(Snippet.TOP.resolve("docs"))) {
            for (Path file : Stream.concat(top, docs)
                    .filter(f -> f.toString().endsWith(".md"))
                    .toList()) {
                Matcher link = LINK.matcher(Files.readString(file));
                while (link.find()) {
                    assertThat(file.resolveSibling(link.group(1)))
                            .as("%s links to %s", file, link.group(1))
                            .exists();
                }
            }
        }
    }
}
