package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.SettingText;
import dev.jwarp.mpa.RtrType;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The settings")
class TcpSettingsTest {
    @ParameterizedTest
    @EnumSource
    @DisplayName("have a key, an allowed range and a sentence, and a default that is allowed:")
    void everySetting(TcpSetting setting) {
        SettingText shown = TcpSetting.all().stream()
                .filter(one -> one.key().equals(setting.key()))
                .findAny()
                .orElseThrow();
        assertThat(shown.key()).matches("jwarp\\.(mpa|tcp|progress)\\.[a-z-]+");
        assertThat(shown.allowed()).isNotEmpty();
        assertThat(shown.sentence()).endsWith(".");
        assertThat(setting.setting().check(shown.defaultValue())).isEqualTo(shown.defaultValue());
    }

    @Test
    @DisplayName("have different keys")
    void keysDiffer() {
        assertThat(TcpSetting.all().stream().map(SettingText::key)).doesNotHaveDuplicates();
    }

    @Tag("MPA-4.4-1")
    @Test
    @DisplayName("have their defaults if no value is given")
    void defaults() {
        TcpSettings settings = TcpSettings.of(Map.of());
        assertThat(settings.on(TcpSetting.CRC)).isTrue();
        assertThat(settings.on(TcpSetting.MARKERS)).isFalse();
        assertThat(settings.nanos(TcpSetting.LINGER)).isEqualTo(5_000_000_000L);
        assertThat(settings.text(TcpSetting.WAIT)).isEqualTo("select");
        assertThat(settings.start().rtrTypes()).containsExactly(RtrType.WRITE, RtrType.READ);
    }

    @Test
    @DisplayName("accept values in any case and with outer blanks")
    void tidy() {
        TcpSettings settings = TcpSettings.of(
                Map.of("jwarp.mpa.crc", " OFF ", "jwarp.mpa.rtr", "Send, write", "jwarp.tcp.pcap", "/tmp/A b.pcap"));
        assertThat(settings.on(TcpSetting.CRC)).isFalse();
        assertThat(settings.start().rtrTypes()).containsExactly(RtrType.WRITE, RtrType.SEND);
        assertThat(settings.text(TcpSetting.PCAP)).isEqualTo("/tmp/A b.pcap");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        jwarp.mpa.revision     | 3         | 1 to 2
        jwarp.mpa.crc          | yes       | on or off
        jwarp.mpa.rtr          | write,put | one or more of write, read, send
        jwarp.mpa.rtr          | ''        | one or more of write, read, send
        jwarp.tcp.linger       | -1        | 0 to 3600000 milliseconds
        jwarp.tcp.linger       | big       | 0 to 3600000 milliseconds
        jwarp.progress.wait    | sleep     | select, spin or block
        jwarp.tcp.keep-alive   | yes       | off, on, or IDLE,INTERVAL,PROBES
        jwarp.tcp.keep-alive   | 60,10     | off, on, or IDLE,INTERVAL,PROBES
        jwarp.tcp.keep-alive   | 60,10,128 | off, on, or IDLE,INTERVAL,PROBES
        jwarp.tcp.keep-alive   | 0,10,6    | off, on, or IDLE,INTERVAL,PROBES
        """)
    @DisplayName("reject a bad value with key, value and the allowed values")
    void badValue(String key, String value, String allowed) {
        assertThatThrownBy(() -> TcpSettings.of(Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key + "=" + value)
                .hasMessageContaining(allowed);
    }

    @Test
    @DisplayName("reject an unknown key, and name the known keys")
    void unknownKey() {
        assertThatThrownBy(() -> TcpSettings.of(Map.of("jwarp.tcp.lingers", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jwarp.tcp.lingers")
                .hasMessageContaining("jwarp.tcp.linger,");
    }

    @Test
    @DisplayName("refuse the peer-to-peer set-up with revision 1")
    void contradiction() {
        assertThatThrownBy(() -> TcpSettings.of(Map.of("jwarp.mpa.revision", "1", "jwarp.mpa.peer-to-peer", "on")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("revision 2");
    }
}
