package dev.jwarp.transport.udp.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.transport.udp.wire.Envelope;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
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
                        + " any hmac-sha-256\n");
        assertThat(keys).hasToString("[key 16, key 7]");
        assertThat(keys.list().get(0).algorithm()).isEqualTo(Envelope.AES_128_GCM);
        assertThat(keys.list().get(1).algorithm()).isEqualTo(Envelope.HMAC_SHA_256_128);
    }

    @Test
    @Tag("DG-K.5-1")
    @DisplayName("give each sender, epoch and key number a traffic key of its own, for both algorithms")
    void trafficKeys() {
        SealKeys keys = SealKeys.parse("FILE", """
                1 send HEX any hmac-sha-256
                2 send HEX any hmac-sha-256
                3 send HEX any
                4 send HEX any
                """.replace("HEX", HEX));
        for (int key : new int[] {0, 2}) {
            byte[] one = traffic(keys, key, 5, 7);
            assertThat(one).hasSize(key == 0 ? 32 : 16).isEqualTo(traffic(keys, key, 5, 7));
            assertThat(traffic(keys, key, 6, 7)).isNotEqualTo(one);
            assertThat(traffic(keys, key, 5, 8)).isNotEqualTo(one);
            assertThat(traffic(keys, key + 1, 5, 7)).isNotEqualTo(one);
        }
        assertThat(TrafficKey.epoch((1 << 22) - 1)).isZero();
        assertThat(TrafficKey.epoch(1 << 22)).isOne();
    }

    private static byte[] traffic(SealKeys keys, int key, long origin, long epoch) {
        return new EnvelopeCipher()
                .derive(keys.list().get(key), origin, epoch)
                .key()
                .getEncoded();
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
                "7 send HEX any aes-256-gcm; none of aes-128-gcm, hmac-sha-256",
                "7 send HEX any aes-128-gcm 5; a word behind its peers",
                "7 send HEX any until=2027; a time behind until=",
                "7 send HEX any bytes=0; a number behind bytes=",
                "7 send HEX any bytes=1e9; a number behind bytes=",
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
