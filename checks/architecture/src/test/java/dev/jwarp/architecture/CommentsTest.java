package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The formatter breaks a comment line that is too long, and leaves the following lines as they are: then a word or two
 * stand alone in the middle of a paragraph.
 */
@DisplayName("Comments")
class CommentsTest {
    private static final Pattern LINE = Pattern.compile("( *)// (\\S.*)");
    private static final int LONGEST = 120;
    private static final int FEW_WORDS = 2;

    @Test
    @DisplayName("have no rest of a broken line in the middle of a paragraph")
    void noRestOfBrokenLineInMiddle() throws IOException {
        List<String> rests = new ArrayList<>();
        int lines = 0;
        for (Source source : Source.all("/src/", Source.folders())) {
            List<String> text = source.text().lines().toList();
            lines += text.size();
            for (int at = 1; at + 1 < text.size(); at++) {
                if (isRest(text.get(at - 1), text.get(at), text.get(at + 1))) {
                    rests.add(source.place(text.get(at).strip(), 0).file() + ":" + (at + 1));
                }
            }
        }
        assertThat(lines).isGreaterThan(100_000);
        assertThat(rests).as("join these lines with the lines around them").isEmpty();
    }

    /**
     * Whether a line holds the words that did not fit in the previous line, although the paragraph goes on after it.
     */
    private static boolean isRest(String before, String line, String behind) {
        Matcher rest = LINE.matcher(line);
        return rest.matches()
                && rest.group(2).split(" ", -1).length <= FEW_WORDS
                && before.length() + 1 + rest.group(2).length() > LONGEST
                && LINE.matcher(before).matches()
                && LINE.matcher(behind).matches();
    }

    @Test
    @DisplayName("are told apart: a rest, the end of a paragraph, and a short line")
    void restsAreToldApart() {
        String wide = "    // " + "a word ".repeat(16) + "a";
        assertThat(isRest(wide, "    // word", "    // and more of it.")).isTrue();
        assertThat(isRest(wide, "    // word", "    int next;")).isFalse();
        assertThat(isRest("    // One:", "    // word", "    // and more of it."))
                .isFalse();
    }
}
