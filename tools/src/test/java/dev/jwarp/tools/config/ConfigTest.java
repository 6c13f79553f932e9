package dev.jwarp.tools.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
    @Test
    @DisplayName("every setting is shown with value source and sentence")
    void everySettingIsShownWithValueSourceAndSentence() throws Exception {
        Run config = Run.of("config", "--json");

        JsonNode settings =
                new ObjectMapper().readTree(config.out()).path("result").path("settings");
        assertThat(config.status()).as(config.toString()).isZero();
        assertThat(settings.findValuesAsText("key"))
                .contains(
                        "jwarp.progress",
                        "jwarp.mpa.crc",
                        "jwarp.mpa.markers",
                        "jwarp.mpa.peer-to-peer",
                        "jwarp.tcp.pcap")
                .doesNotHaveDuplicates();
        for (JsonNode setting : settings) {
            assertThat(setting.path("sentence").asText()).isNotBlank();
            assertThat(setting.path("allowed").asText()).isNotBlank();
            assertThat(setting.path("source").asText()).isEqualTo("default");
            String usual = setting.path("default_value").asText();
            assertThat(setting.path("value").asText())
                    .isEqualTo(
                            switch (setting.path("key").asText()) {
                                case "jwarp.transport" -> "nio";
                                default -> usual;
                            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jwarp.mpa.crc", "mpa.crc", "JWARP_MPA_CRC"})
    @DisplayName("A name shows one setting alone")
    void oneSetting(String name) {
        Run config = Run.of("config", name);

        assertThat(config.status()).as(config.toString()).isZero();
        assertThat(config.out().lines().filter(line -> !line.startsWith(" ")))
                .singleElement()
                .asString()
                .startsWith("jwarp.mpa.crc = ");
    }

    @Test
    @DisplayName("The first words of names show a group, and several names what any of them means")
    void groups() throws Exception {
        Run config = Run.of("config", "--json", "mpa", "jwarp.progress");

        JsonNode settings =
                new ObjectMapper().readTree(config.out()).path("result").path("settings");
        assertThat(settings.findValuesAsText("key"))
                .contains("jwarp.progress", "jwarp.mpa.crc", "jwarp.mpa.markers")
                .allMatch(key -> key.startsWith("jwarp.mpa.") || key.equals("jwarp.progress"));
    }

    @Test
    @DisplayName("a flag is its setting")
    void flagIsItsSetting() {
        Run config = Run.of("config", "--crc", "off", "--set", "jwarp.mpa.revision=1");

        assertThat(config.out()).contains("jwarp.mpa.crc = off  (flag)", "jwarp.mpa.revision = 1  (flag)");
    }

    @Test
    @DisplayName("a setting that does not exist is refused as a flag and warned of elsewhere")
    void settingThatDoesNotExist() {
        Run refused = Run.of("config", "--set", "jwarp.mpa.crcs=on");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("There is no setting jwarp.mpa.crcs; did you mean jwarp.mpa.crc?");

        Run warned = Run.later("config")
                .property("jwarp.mpa.crcs", "on")
                .environment("JWARP_NONSENSE", "1")
                .environment("JWARP_SOCKETS_MEMORY", "1g")
                .execute();
        assertThat(warned.status()).isZero();
        assertThat(warned.err())
                .contains("warning: there is no setting jwarp.mpa.crcs", "warning: there is no setting JWARP_NONSENSE")
                .doesNotContain("JWARP_SOCKETS_MEMORY");
    }

    @Test
    @DisplayName("a value that a setting does not take ends with 2")
    void valueThatSettingDoesNotTakeEndsWith2() {
        Run config = Run.of("config", "--set", "jwarp.mpa.revision=9");

        assertThat(config.status()).as(config.toString()).isEqualTo(2);
        assertThat(config.err()).contains("jwarp.mpa.revision").doesNotContain("Exception");
    }
}
