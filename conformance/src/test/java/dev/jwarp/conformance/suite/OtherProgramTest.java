package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.suite.Survey.OtherProgram;
import dev.jwarp.conformance.wire.Segment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The last answer of a device shows another program than that of the profile")
class OtherProgramTest {
    @Test
    @DisplayName("if a program sends it, unless the expected program sends it, too")
    void messages() {
        Segment request = Segment.readRequest(1, 9, 0, 4, 3, 0);

        assertThat(OtherProgram.says(Segment.send(1), true)).isTrue();
        assertThat(OtherProgram.says(request, false)).isTrue();
        assertThat(OtherProgram.says(request, true))
                .as("a wrong one is the device's")
                .isFalse();
    }

    @Test
    @DisplayName("if it is a Terminate for a Send without a receive; any other Terminate is the device's")
    void terminates() {
        assertThat(OtherProgram.says(Segment.terminate(1, 2, 2, 0), false))
                .as("no receive")
                .isTrue();
        assertThat(OtherProgram.says(Segment.terminate(1, 2, 5, 0), false))
                .as("a short one")
                .isTrue();
        assertThat(OtherProgram.says(Segment.terminate(1, 2, 1, 0), false))
                .as("queue")
                .isFalse();
        assertThat(OtherProgram.says(Segment.terminate(2, 0, 2, 0), false))
                .as("CRC")
                .isFalse();
    }
}
