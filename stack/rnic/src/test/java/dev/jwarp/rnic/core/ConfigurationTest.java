package dev.jwarp.rnic.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.RnicDevice;
import dev.jwarp.rnic.RnicProvider;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.EffectiveSetting.Source;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Configuration")
class ConfigurationTest {
    private static final List<Setting> KNOWN = RnicSetting.all();
    private static final Map<String, String> NOTHING = Map.of();

    private static Configuration configuration(
            Map<String, String> explicit, Map<String, String> environment, Map<String, String> properties) {
        return new Configuration(KNOWN, explicit, new Configuration.Surroundings(environment, properties));
    }

    private static EffectiveSetting readDepth(
            Map<String, String> explicit, Map<String, String> environment, Map<String, String> properties) {
        return configuration(explicit, environment, properties).all().stream()
                .filter(setting -> setting.setting().key().equals("jwarp.device.read-depth"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("Values of the program have precedence over properties, the environment, and defaults, in this order")
    void precedence() {
        Map<String, String> explicit = Map.of("jwarp.device.read-depth", "1");
        Map<String, String> environment = Map.of("JWARP_DEVICE_READ_DEPTH", "2");
        Map<String, String> properties = Map.of("jwarp.device.read-depth", "3");
        assertThat(readDepth(explicit, environment, properties))
                .extracting(EffectiveSetting::value, EffectiveSetting::source)
                .containsExactly("1", Source.EXPLICIT);
        assertThat(readDepth(NOTHING, environment, properties))
                .extracting(EffectiveSetting::value, EffectiveSetting::source)
                .containsExactly("3", Source.PROPERTY);
        assertThat(readDepth(NOTHING, environment, NOTHING))
                .extracting(EffectiveSetting::value, EffectiveSetting::source)
                .containsExactly("2", Source.ENVIRONMENT);
        assertThat(readDepth(NOTHING, NOTHING, NOTHING))
                .extracting(EffectiveSetting::value, EffectiveSetting::source)
                .containsExactly("128", Source.DEFAULT);
    }

    @Test
    @DisplayName("Words may have capitals and spaces around them; numbers and words are checked when they are used")
    void tidyValues() {
        Configuration configuration = configuration(
                Map.of("jwarp.progress", " INLINE", "jwarp.stat", "Off ", "jwarp.device.read-depth", " 77 "),
                NOTHING,
                NOTHING);
        assertThat(configuration.text(RnicSetting.PROGRESS)).isEqualTo("inline");
        assertThat(configuration.checked(RnicSetting.PROGRESS)).isEqualTo("inline");
        assertThat(configuration.on(RnicSetting.STAT)).isFalse();
        assertThat(configuration.number(RnicSetting.READ_DEPTH)).isEqualTo(77);
        Configuration bad = configuration(
                Map.of("jwarp.progress", "Sideways ", "jwarp.device.read-depth", "65536"), NOTHING, NOTHING);
        assertThat(bad.text(RnicSetting.PROGRESS)).isEqualTo("Sideways");
        assertThatThrownBy(() -> bad.checked(RnicSetting.PROGRESS))
                .hasMessage("jwarp.progress is \"Sideways\", but takes: inline or threaded.");
        assertThatThrownBy(() -> bad.number(RnicSetting.READ_DEPTH))
                .hasMessage("jwarp.device.read-depth is \"65536\", but takes: 0 to 16382 requests.");
    }

    @Test
    @DisplayName("An unknown variable or property with jwarp's prefix is reported")
    void unknownKeys() {
        assertThat(Configuration.unknownKeys(
                        KNOWN,
                        new Configuration.Surroundings(
                                Map.of(
                                        "JWARP_DEVICE_REED_DEPTH",
                                        "1",
                                        "JWARP_DEVICE_READ_DEPTH",
                                        "1",
                                        "PATH",
                                        "/bin",
                                        "JWARP_DEBUG",
                                        "1"),
                                Map.of("jwarp.typo", "x", "jwarp.sim.seeds", "5", "jwarp.sockets.rules", "* *:* tcp"))))
                .containsExactlyInAnyOrder("JWARP_DEVICE_REED_DEPTH", "jwarp.typo");
    }

    @Test
    @DisplayName("An unknown key of the program is rejected, with the key that was probably meant")
    void slips() {
        assertRefused(
                Map.of("jwarp.device.reed-depth", "1", "jwarp.device.read-depth", "1"),
                "There is no setting jwarp.device.reed-depth; did you mean jwarp.device.read-depth?");
        assertRefused(Map.of("jwarp.mpa.cr", "off"), "did you mean jwarp.mpa.crc?");
        assertRefused(Map.of("jwarp.Progress", "inline"), "did you mean jwarp.progress?");
        assertRefused(Map.of("com.example.other", "1"), "There is no setting com.example.other. `jwarp config`");
        assertThatThrownBy(() -> new RnicProvider().configuration(Map.of("jwarp.device.reed-depth", "1")))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_SETTING));
    }

    private static String value(List<EffectiveSetting> configuration, String key) {
        return configuration.stream()
                .filter(setting -> setting.setting().key().equals(key))
                .map(setting -> setting.value() + " " + setting.source())
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("The value chosen for auto is reported, before a context is opened and by the context")
    void whatAutoBecame() {
        RnicProvider provider = new RnicProvider();
        assertThat(value(provider.configuration(NOTHING), "jwarp.transport")).isEqualTo("nio DEFAULT");
        List<EffectiveSetting> threaded = provider.configuration(Map.of("jwarp.progress", "threaded"));
        assertThat(value(threaded, "jwarp.transport")).isEqualTo("netty DEFAULT");
        try (Context inline = provider.rnic().open(NOTHING);
                Context byName = provider.rnic().open(Map.of("jwarp.transport", "netty"));
                Context chosen = provider.rnic().open(Progress.THREADED, NOTHING)) {
            assertThat(value(inline.configuration(), "jwarp.transport")).isEqualTo("nio DEFAULT");
            assertThat(value(inline.configuration(), "jwarp.progress")).isEqualTo("inline DEFAULT");
            assertThat(value(byName.configuration(), "jwarp.progress")).isEqualTo("threaded EXPLICIT");
            assertThat(value(chosen.configuration(), "jwarp.transport")).isEqualTo("netty DEFAULT");
            assertThat(value(chosen.configuration(), "jwarp.progress")).isEqualTo("threaded EXPLICIT");
        }
    }

    @Test
    @DisplayName("An invalid value is rejected, with key, value and permitted values")
    void badValues() {
        assertRefused(
                Map.of("jwarp.device.read-depth", "many"),
                "jwarp.device.read-depth is \"many\", but takes: 0 to 16382 requests");
        assertRefused(Map.of("jwarp.device.read-depth", "-1"), "jwarp.device.read-depth is \"-1\"");
        assertRefused(Map.of("jwarp.progress", "sideways"), "takes: inline or threaded");
        assertRefused(Map.of("jwarp.device.read-depth", "16383"), "0 to 16382");
        assertRefused(Map.of("jwarp.mpa.crc", "maybe"), "jwarp.mpa.crc");
    }

    private static void assertRefused(Map<String, String> settings, String words) {
        assertThatThrownBy(() -> new RnicProvider().rnic().open(settings))
                .isInstanceOfSatisfying(RdmaException.class, e -> {
                    assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_SETTING);
                    assertThat(e.code().exitStatus()).isEqualTo(2);
                })
                .hasMessageContaining(words);
    }

    @Test
    @DisplayName("The provider is found by ServiceLoader, and has its own settings and those of its transports")
    void provider() {
        RdmaProvider provider = RdmaProvider.load();
        assertThat(provider.name()).isEqualTo("jwarp");
        assertThat(provider.devices()).extracting(dev.jwarp.verbs.Device::name).containsExactly("jwarp0");
        assertThat(provider.device("jwarp0").attributes().physicalPortCount()).isEqualTo(1);
        assertThatThrownBy(() -> provider.device("mlx5_0")).hasMessageContaining("The devices are jwarp0");
        assertThat(provider.settings())
                .extracting(Setting::key)
                .contains("jwarp.progress", "jwarp.mpa.crc")
                .doesNotHaveDuplicates();
        assertThat(provider.settings()).allSatisfy(setting -> {
            assertThat(setting.sentence()).as(setting.key()).isNotBlank();
            assertThat(setting.allowed()).as(setting.key()).isNotBlank();
            assertThat(setting.environmentVariable()).matches("JWARP_[A-Z0-9_]+");
        });
        assertThat(provider.configuration(Map.of("jwarp.mpa.crc", "off"))).anySatisfy(setting -> {
            assertThat(setting.setting().key()).isEqualTo("jwarp.mpa.crc");
            assertThat(setting.value()).isEqualTo("off");
            assertThat(setting.source()).isEqualTo(Source.EXPLICIT);
        });
    }

    @Test
    @DisplayName("The progress determines the transport, or the transport the progress")
    void transports() {
        RnicDevice device = new RnicProvider().rnic();
        try (Context inline = device.open(Progress.INLINE, Map.of());
                Context threaded = device.open(Progress.THREADED, Map.of());
                Context byName = device.open(Map.of("jwarp.transport", "netty"))) {
            assertThat(inline.progress()).isEqualTo(Progress.INLINE);
            assertThat(threaded.progress()).isEqualTo(Progress.THREADED);
            assertThat(byName.progress()).isEqualTo(Progress.THREADED);
        }
        assertThatThrownBy(() -> device.open(Map.of("jwarp.transport", "carrier-pigeon")))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.NOT_FOUND))
                .hasMessageContaining("no transport carrier-pigeon on the class path; there is n");
        assertRefused(Map.of("jwarp.transport", "netty", "jwarp.progress", "inline"), "makes threaded progress only");
    }

    @Test
    @DisplayName("The device has one port, and reports its capabilities")
    void device() {
        RnicDevice device = new RnicProvider().rnic();
        assertThat(device.guid()).isNotZero();
        assertThat(device.port(1).gids()).hasSize(1).first().asString().matches("([0-9a-f]{4}:){7}[0-9a-f]{4}");
        assertThat(device.port(1).activeMtu()).isIn(256, 512, 1024, 2048, 4096);
        assertThat(device.port(1).interfaceMtu()).isPositive();
        assertThatThrownBy(() -> device.port(2))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT));
        assertThat(device.attributes().maxPrivateData()).isEqualTo(508);
        assertThat(device.attributes().maxReadAtomicPerQueuePair()).isEqualTo(128);
    }
}
