package dev.jwarp.conformance.repro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.wire.Opcode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A script that repeats a failed case")
class ScriptTest {
    private static final List<String> WHOLE =
            List.of("device responder", "1 connect", "1 send 00FF", "1 wait 20", "1 hear nothing", "1 should a Reply");

    @Test
    @DisplayName("is the same after writing and reading")
    void isReadBack() {
        Script script = Script.parse(WHOLE);

        assertThat(script.text(List.of("for people")).lines().skip(1)).containsExactlyElementsOf(WHOLE);
    }

    @Test
    @DisplayName("that is incomplete shows nothing about a device, so it is refused")
    void cut() {
        for (int length = 1; length < WHOLE.size(); length++) {
            List<String> cut = WHOLE.subList(0, length);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Script.parse(cut))
                    .withMessageContaining("no whole script");
        }
    }

    static Stream<Arguments> whatShouldHaveCome() {
        return Stream.of(
                Arguments.of(
                        new Expectation.Terminate(0x2002, 0x1205),
                        "terminate 2/0/02 1/2/05",
                        "Terminate 2/0/02 MPA: CRC or 1/2/05 DDP untagged: message too long"),
                Arguments.of(new Expectation.Message(Opcode.SEND_SE), "message Send with SE", "Send with SE"),
                Arguments.of(Expectation.END, "end", "the end of the connection, and no more bytes before"),
                Arguments.of(new Expectation.End(250), "end within 250", "the end of the connection within 250 ms"),
                Arguments.of(new Expectation.Other("a Terminate"), "a Terminate", "a Terminate"));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("keeps the expectation in a form that it can judge, and in the words of reports")
    void whatShouldHaveCome(Expectation expectation, String text, String words) {
        assertThat(ScriptExpectation.text(expectation)).isEqualTo(text);
        assertThat(ScriptExpectation.of(text)).isEqualTo(expectation);
        assertThat(expectation.words()).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "1 dance, 'line 2: ''dance'' is no action of a script'",
        "one connect, 'line 2: ''one'' is no number from 0 to 9999'",
        "1 connect 99999, 'line 2: ''99999'' is no number from 0 to 65535'",
        "1 wait 999999999999999999, 'line 2: ''999999999999999999'' is no number from 0 to 3600000'",
        "1 send crc/0-3, 'line 2: not bytes to send: crc/0-3'"
    })
    @DisplayName("has the line and the right form in the message for a wrong line")
    void wrongLine(String line, String sentence) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Script.parse(List.of("device responder", line, "1 should a Reply")))
                .withMessage(sentence);
    }
}
