package dev.jwarp.transport.udp.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Keys as text")
class SealKeysTest {
    private static final String HEX = "hex:00112233445566778899aabbccddeeff";

    @Test
    @DisplayName("has comments, and two forms of numbers and secrets; toString has no secret")
    void text() {
        SealKeys keys = SealKeys.parse(
                "FILE",
                "# all of them\n\n 0x10 receive base64:ABEiM0RVZneImaq7zN3u/w== 192.0.2.0/24\n7 send " + HEX
                        + " any\n");
        assertThat(keys.size()).isEqualTo(2);
        assertThat(keys.find(16)).isZero();
        assertThat(keys.find(7)).isEqualTo(1);
        assertThat(keys.find(8)).isNegative();
        assertThat(keys).hasToString("[key 16, key 7]");
        assertThat(keys.get(0).mac().doFinal(new byte[] {1}))
                .isEqualTo(keys.get(1).mac().doFinal(new byte[] {1}));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "7 send any; line 1 has 3 words",
                "seven send HEX any; line 1 does not begin with a key's number",
                "4294967296 send HEX any; line 1 does not begin with a key's number",
                "7 sends HEX any; neither send nor receive",
                "7 send hex:0011 any; a secret of 2 bytes",
                "7 send hex:0g112233445566778899aabbccddeeff any; neither hex: with",
                "7 send 00112233445566778899aabbccddeeff any; neither hex: with",
                "7 send HEX example.org; neither any nor networks",
                "7 receive HEX any; has no key to send with"
            })
    void mistakes(String text, String sentence) {
        assertThatThrownBy(() -> SealKeys.parse("FILE", text.replace("HEX", HEX)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("FILE")
                .hasMessageContaining(sentence)
                .hasMessageNotContaining("112233");
    }

    @Test
    @DisplayName("has each number once")
    void twice() {
        String line = "7 send " + HEX + " any\n";
        assertThatThrownBy(() -> SealKeys.parse("FILE", line + line))
                .hasMessageContaining("line 2 has key 7 a second time");
    }
}
