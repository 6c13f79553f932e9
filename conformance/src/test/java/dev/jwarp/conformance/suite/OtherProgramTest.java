package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.suite.Survey.OtherProgram;
import dev.jwarp.conformance.wire.Segment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The last answer of a device shows another program than that of the profile")
class OtherProgramTest {
    @Test
    @DisplayName("if a program sends it, unless the expected program sends it, too")
    void messages() {
        Segment request = Segment.readRequest(1, 9, 0, 4, 3, 0);

        assertThat(OtherProgram.says(Segment.send(1), true)).isTrue();
        assertThat(OtherProgram.says(request, false)).isTrue();
        assertThat(OtherProgram.says(request, true)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 2, true", "1, 2, 5, true", "1, 2, 1, false", "2, 0, 2, false"})
    @DisplayName("if it is a Terminate for a Send without a receive or with a short one; others are the device's")
    void terminates(int layer, int type, int code, boolean other) {
        assertThat(OtherProgram.says(Segment.terminate(layer, type, code, 0), false))
                .isEqualTo(other);
    }
}
