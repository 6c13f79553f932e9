package dev.jwarp.tools.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.cli.ToolFailure;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandWordsTest {
    private static final List<String> OBJECTS = List.of("qp", "cq", "cm_id", "ctx");

    private static CommandWords parse(String words) {
        return CommandWords.parse(
                words.isEmpty() ? List.of() : List.of(words.split(" ", -1)), OBJECTS, word -> word.startsWith("jwarp"));
    }

    @ParameterizedTest(name = "jwarp resource {0}")
    @CsvSource({
        "'', , , {}",
        "17, 17, , {}",
        "show 17, 17, , {}",
        "sh q 17, 17, qp, {}",
        "list cq 17, 17, cq, {}",
        "qp 17, 17, qp, {}",
        "17 qp, 17, qp, {}",
        "show cm 17 lqpn 3-5, 17, cm_id, {lqpn=3-5}",
        "qp 17 link 4, 17, qp, {link=4}",
        "show jwarp0/1 17, 17, , {link=jwarp0/1}",
        "jwarp0 17, 17, , {link=jwarp0}",
        "show qp 17 state RTS type UD, 17, qp, '{state=RTS, type=UD}'"
    })
    @DisplayName("words mean what they mean to rdma")
    void wordsMeanWhatTheyMeanToRdma(String words, @Nullable Long pid, @Nullable String object, String filters) {
        CommandWords meant = parse(words);

        assertThat(meant.pid()).isEqualTo(pid);
        assertThat(meant.object()).isEqualTo(object);
        assertThat(meant.filters()).hasToString(filters);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "show c 17, 'c' is ambiguous: cq or cm_id or ctx",
        "nonsense, 'nonsense' is not known here",
        "qp 17 state, 'state' is not known here",
        "17 18, only one pid is possible: 17 or 18",
        "99999999999999999999, 99999999999999999999 is too large for a pid"
    })
    @DisplayName("what is not clear is said")
    void whatIsNotClearIsSaid(String words, String sentence) {
        assertThatThrownBy(() -> parse(words)).isInstanceOf(ToolFailure.class).hasMessageContaining(sentence);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "lqpn 3, true",
        "lqpn 1-3, true",
        "lqpn 4-9, false",
        "'lqpn 1,3', true",
        "'state ERR,RTS', true",
        "state RT, false",
        "state 1-3, false",
        "nothing 3, false",
        "link jwarp0, true",
        "link jwarp0/1, true",
        "link jwarp0/2, false",
        "link jwarp1, false",
        "lqpn 3 state ERR, false"
    })
    @DisplayName("filters let through what matches all of them")
    void filtersLetThroughWhatMatchesAllOfThem(String filters, boolean welcome) {
        assertThat(parse("qp 17 " + filters).welcome(Map.of("link", "jwarp0/1", "lqpn", 3L, "state", "RTS")))
                .isEqualTo(welcome);
    }

    @Test
    @DisplayName("a port stands for what is of its device")
    void portStandsForWhatIsOfItsDevice() {
        assertThat(parse("cq 17 link jwarp0/1").welcome(Map.of("dev", "jwarp0")))
                .isTrue();
    }
}
