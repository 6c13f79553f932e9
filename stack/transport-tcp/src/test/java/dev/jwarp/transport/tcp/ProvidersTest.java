package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.TransportProvider;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The providers")
class ProvidersTest {
    static Stream<TransportProvider> providers() {
        return ServiceLoader.load(TransportProvider.class).stream().map(ServiceLoader.Provider::get);
    }

    @Test
    @DisplayName("are found by name, one inline and one threaded")
    void found() {
        assertThat(providers().collect(Collectors.toMap(TransportProvider::name, TransportProvider::inline)))
                .isEqualTo(Map.of("nio", true, "netty", false));
    }

    @ParameterizedTest
    @MethodSource("providers")
    @DisplayName("list their settings and accept their defaults")
    void settings(TransportProvider provider) {
        assertThat(provider.settings()).hasSize(TcpSetting.values().length);
        Map<String, String> defaults = provider.settings().stream()
                .collect(Collectors.toMap(setting -> setting.key(), setting -> setting.defaultValue()));
        try (Transport transport = provider.open(defaults)) {
            assertThat(transport.inline()).isEqualTo(provider.inline());
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    @DisplayName("reject a bad setting with a message")
    void badSetting(TransportProvider provider) {
        assertThatThrownBy(() -> provider.open(Map.of("jwarp.tcp.linger", "tiny")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jwarp.tcp.linger=tiny");
    }

    @ParameterizedTest
    @MethodSource("providers")
    @DisplayName("open transports whose counters have names and sentences")
    void counters(TransportProvider provider) {
        try (Transport transport = provider.open(Map.of())) {
            assertThat(transport.counters())
                    .hasSize(TcpCounter.values().length)
                    .contains(new TransportCounter(
                            "tcp_crc_mismatch", 0, "FPDUs with a wrong CRC32C; each ends its connection"))
                    .allSatisfy(counter -> assertThat(counter.sentence()).doesNotEndWith("."));
        }
    }
}
