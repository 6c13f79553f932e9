package dev.jwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes that look like a header in the middle of a stream. */
class PlausibilityTest {
    @ParameterizedTest
    @EnumSource
    @DisplayName("every message does")
    void everyMessageDoes(Opcode opcode) {
        Segment segment = Segment.of(opcode).msn(7).payload(new byte[opcode.header()]);

        assertThat(Plausibility.ulpdu(segment.bytes())).isTrue();
        assertThat(Plausibility.ulpdu(segment.cut(segment.bytes().length - 1).bytes()))
                .as("too short for its headers")
                .isFalse();
    }

    @Test
    @DisplayName("versions reserved bits opcode and queue have to be right")
    void versionsReservedBitsOpcodeAndQueue() {
        assertThat(Plausibility.ulpdu(Segment.send(1).ddpVersion(2).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.send(1).ddpReserved(1).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.send(1).rdmapVersion(0).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.send(1).rdmapReserved(2).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.send(1).opcode(12).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.send(1).opcode(0).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.send(1).queue(1).bytes())).isFalse();
        assertThat(Plausibility.ulpdu(Segment.write(1, 2).opcode(3).bytes())).isFalse();
    }

    @Test
    @DisplayName("hardly any random bytes do")
    void hardlyAnyRandomBytesDo() {
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        int found = 0;
        for (int at = 0; at + 20 < noise.length; at++) {
            int size = (int) Octets.number(noise, at, 2);
            found += Plausibility.header(noise, at + 2, noise.length, size) ? 1 : 0;
        }
        assertThat(found).isLessThan(noise.length / 8192);
    }
}
