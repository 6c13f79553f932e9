package dev.jwarp.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Networks;
import dev.jwarp.llp.SettingText;
import dev.jwarp.transport.udp.congestion.CongestionControl;
import dev.jwarp.transport.udp.congestion.Cubic;
import dev.jwarp.transport.udp.rd.RdSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UdpSettingsTest {
    @Test
    void everySettingTakesItsDefaultAndSaysWhatItDoes() {
        for (SettingText setting : UdpSetting.all()) {
            UdpSettings.of(Map.of(setting.key(), setting.defaultValue()));
            assertThat(setting.key()).startsWith("jwarp.");
            assertThat(setting.sentence()).isNotBlank();
            assertThat(setting.allowed()).isNotBlank();
        }
    }

    @Test
    @DisplayName("the default buffers have 4 MiB")
    void buffersOfFourMegabytesAreAskedFor() {
        UdpSettings settings = UdpSettings.of(Map.of());
        assertThat(settings.number(UdpSetting.RECEIVE_BUFFER)).isEqualTo(4 << 20);
        assertThat(settings.number(UdpSetting.SEND_BUFFER)).isEqualTo(4 << 20);
    }

    @Tag("DG-11.4-8")
    @Test
    @DisplayName("the default loss tolerance is 0")
    void noToleranceByDefault() {
        RdSettings settings = RdSettings.DEFAULT;
        assertThat(UdpSettings.of(Map.of()).number(UdpSetting.RD_LOSS_TOLERANCE))
                .isZero();
        assertThat(CongestionControl.of(settings.congestion(), settings.lossTolerancePercent()))
                .isInstanceOf(Cubic.class);
    }

    @Test
    void refusesWhatIsNotKnownOrOutOfRangeInASentence() {
        assertThatThrownBy(() -> UdpSettings.of(Map.of("jwarp.udp.nothing", "1")))
                .hasMessageContaining("jwarp.udp.nothing")
                .hasMessageContaining("jwarp.udp.receive-buffer");
        assertThatThrownBy(() -> UdpSettings.of(Map.of("jwarp.udp.multicast-ttl", "256")))
                .hasMessage("jwarp.udp.multicast-ttl=256 cannot be used: it must be 0 to 255 hops");
        assertThatThrownBy(() -> UdpSettings.of(Map.of("jwarp.udp.segmentation", "some")))
                .hasMessageContaining("on, off, send or receive");
    }

    @Tag("DG-9.1-3")
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, true",
        "127.255.3.4, true",
        "128.0.0.1, false",
        "::1, true",
        "::2, false",
        "2001:db8::5, true",
        "2001:db9::5, false",
        "192.0.2.9, true",
        "192.0.2.10, false"
    })
    void aListOfNetworksContainsTheirAddresses(String address, boolean contained) throws UnknownHostException {
        Networks networks = Objects.requireNonNull(Networks.parse("127.0.0.0/8,::1, 2001:DB8::/32,192.0.2.8/31"));
        assertThat(networks.contain(InetAddress.getByName(address))).isEqualTo(contained);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.0/33", "::1/129", "1.2.3.4/-1", "1.2.3.4,", "1.2.3.4/x", "300.1.1.1"})
    void aListOfNetworksHasNoNamesAndNoOddPrefixes(String text) {
        assertThatThrownBy(() -> UdpSettings.of(Map.of("jwarp.udp.trust", text)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEmptyListTrustsNobody() throws UnknownHostException {
        assertThat(Objects.requireNonNull(Networks.parse("")).contain(InetAddress.getLoopbackAddress()))
                .isFalse();
        assertThat(Objects.requireNonNull(Networks.parse("0.0.0.0/0")).contain(InetAddress.getByName("203.0.113.1")))
                .isTrue();
    }
}
