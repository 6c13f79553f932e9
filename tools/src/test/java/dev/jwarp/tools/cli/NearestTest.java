package dev.jwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> NAMES = List.of("-i", "--iters", "--interval", "--inline_size", "--json", "-v");

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "--itesr, --iters",
        "--iter, --iters",
        "--int, --interval",
        "--JSON, --json",
        "-json, --json",
        "--jso, --json",
        "--nonsense, ''",
        "-z, ''",
        "--in, ''",
        "'', ''"
    })
    @DisplayName("A slip or an unfinished word finds the names that were meant; what is near to none finds none")
    void near(String word, String expected) {
        assertThat(String.join(" ", Nearest.to(word, NAMES))).isEqualTo(expected);
    }
}
