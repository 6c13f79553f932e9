package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The arithmetic of FPDUs, Markers and MULPDU")
class FpduTest {
    @Tag("MPA-4.1-1")
    @ParameterizedTest(name = "ULPDU {0}: pad {1}, FPDU {2}")
    @CsvSource({"0, 2, 8", "1, 1, 8", "2, 0, 8", "3, 3, 12", "46, 0, 52", "64768, 2, 64776", "65535, 3, 65544"})
    @DisplayName("an FPDU is padded to a multiple of four (RFC 5044 §4.1)")
    void lengths(int ulpdu, int pad, int fpdu) {
        assertThat(Fpdu.padLength(ulpdu)).isEqualTo(pad);
        assertThat(Fpdu.length(ulpdu)).isEqualTo(fpdu);
        assertThat(Fpdu.bodyLength(ulpdu)).isEqualTo(fpdu - 4);
    }

    @ParameterizedTest(name = "body {0} at {1}: {2} Markers")
    @CsvSource({
        "4, 0, 1", // in front of the very first FPDU
        "4, 4, 0",
        "4, 508, 1", // FPDUPTR 4: between length and CRC
        "4, 512, 1", // begins at a Marker position
        "24, 488, 1", // between pad and CRC
        "24, 484, 0", // due right behind the CRC: the next FPDU's
        "508, 0, 2", // one in front, one before the CRC
        "504, 0, 1",
        "1416, 0, 3",
        "65540, 4, 129",
        "65540, 0, 130"
    })
    @DisplayName("the Markers of an FPDU: before it, within, before its CRC, never after it (RFC 5044 §4.3, §4.4)")
    void markers(int body, long streamOffset, int count) {
        assertThat(Marker.countIn(body, streamOffset)).isEqualTo(count);
    }

    @Test
    @DisplayName("the largest FPDU, at the worst offset of an interval, has 66,064 bytes")
    void largest() {
        int largest = 0;
        for (long offset = 0; offset < Marker.INTERVAL; offset += 4) {
            largest = Math.max(largest, Fpdu.lengthWithMarkers(Fpdu.MAX_ULPDU_RECEIVED, offset));
        }
        assertThat(largest).isEqualTo(Fpdu.MAX_LENGTH_WITH_MARKERS).isEqualTo(66_064);
    }

    @Tag("MPA-4.2-1")
    @Tag("MPA-4.2-3")
    @Test
    @DisplayName("a Marker's reserved half and the low two bits of its pointer are ignored (RFC 5044 §4.2)")
    void markerWord() {
        assertThat(Marker.word(12)).isEqualTo(12);
        assertThat(Marker.agrees(0xFFFF_000F, 12)).isTrue();
        assertThat(Marker.agrees(16, 12)).isFalse();
        assertThat(Marker.agrees(8, 12)).isFalse();
        assertThat(Marker.agrees(0, 65_536)).as("modulo 2^16").isTrue();
    }

    @Tag("MPA-3-2")
    @Tag("MPA-4.5-1")
    @Tag("MPA-4.5-2")
    @Tag("MPA-4.5-3")
    @ParameterizedTest(name = "EMSS {0}: {1} without Markers, {2} with")
    @CsvSource({
        "1460, 1454, 1442",
        "8960, 8954, 8882",
        "1448, 1442, 1430",
        "1461, 1454, 1442", // an odd octet is not used
        "536, 530, 522",
        "100, 128, 128", // never below 128
        "1, 128, 128",
        "65483, 64768, 64768", // never above 64,768
        "65000, 64768, 64486",
        "2147483647, 64768, 64768"
    })
    @DisplayName("MULPDU fills one TCP segment (RFC 5044 §4.5)")
    void mulpdu(int emss, int without, int with) {
        assertThat(Mulpdu.of(emss, false)).isEqualTo(without);
        assertThat(Mulpdu.of(emss, true)).isEqualTo(with);
    }

    @Test
    @DisplayName("an EMSS of 0 is rejected")
    void noEmss() {
        assertThatThrownBy(() -> Mulpdu.of(0, false)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("the error codes are those of RFC 5044 §8 and RFC 6581 §8, one for each value")
    void errorCodes() {
        assertThat(MpaError.values()).extracting(MpaError::code).containsExactly(1, 2, 3, 4, 5, 6, 7);
        assertThat(MpaError.values()).allSatisfy(error -> {
            assertThat(error.sentence()).isNotBlank();
            assertThat(error.source()).startsWith("RFC ");
        });
        assertThat(StartFrameProblem.values()).allSatisfy(problem -> {
            assertThat(problem.sentence()).isNotBlank();
            assertThat(problem.source()).startsWith("RFC ");
        });
    }
}
