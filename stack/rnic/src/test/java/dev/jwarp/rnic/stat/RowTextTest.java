package dev.jwarp.rnic.stat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.ObservedRow;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowTextTest {
    private static ByteBuffer line(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static ByteBuffer encoded(ObservedRow row) {
        byte[] octets = RowText.encode(row);
        return ByteBuffer.wrap(octets, 0, octets.length - 1);
    }

    @Test
    @DisplayName("is decoded unchanged, numbers as numbers and text as text")
    void comesBack() {
        ObservedRow row = ObservedRow.of("qp")
                .with("lqpn", 3)
                .with("iwarp-state", "RTS")
                .with("text", "12")
                .with("least", Long.MIN_VALUE)
                .with("empty", "")
                .with("sentence", "a: b = c, and §4.3");
        assertThat(RowText.decode(encoded(row))).isEqualTo(row);
    }

    @Property
    @Label("is one line that can be read, whatever is in it")
    void isOneLine(@ForAll String text, @ForAll long number) {
        ObservedRow row = ObservedRow.of("qp").with("text", text).with("number", number);
        String line = new String(RowText.encode(row), UTF_8);
        assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
        assertThat(line.length()).isLessThan(RowText.LONGEST_LINE);
        ObservedRow back = RowText.decode(encoded(row));
        assertThat(back).isNotNull();
        assertThat(back.number("number")).isEqualTo(number);
    }

    @Property
    @Label("is read from any bytes without an exception")
    void anyOctets(@ForAll byte[] octets) {
        ObservedRow row = RowText.decode(ByteBuffer.wrap(octets));
        assertThat(row == null || !row.object().isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "QP\tlqpn:1",
                "qp\tlqpn",
                "qp\tlqpn:one",
                "qp\tlqpn:99999999999999999999",
                "qp\t=x",
                "qp\tcomm=\u001b[2J",
                "qp\tcomm=\u202etxt.exe",
                "qp\tcomm=\u0000",
                "qp\tcomm=\r",
                "qp\tsecret\u0007=x"
            })
    @DisplayName("is rejected if it is malformed, or could control a terminal:")
    void refused(String line) {
        assertThat(RowText.decode(line(line))).isNull();
    }

    @Test
    @DisplayName("has no control characters of its source")
    void cleaned() {
        ObservedRow row = RowText.decode(encoded(ObservedRow.of("process").with("comm", "a\u001b[2J\tb\n\u202e")));
        assertThat(row).isEqualTo(ObservedRow.of("process").with("comm", "a?[2J?b??"));
    }
}
