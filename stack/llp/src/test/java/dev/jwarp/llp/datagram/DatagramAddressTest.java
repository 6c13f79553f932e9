package dev.jwarp.llp.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A UDP address as numbers")
class DatagramAddressTest {
    @ParameterizedTest
    @DisplayName("returns the length of the headers before each payload")
    @CsvSource({"10.0.0.1, 28", "::ffff:10.0.0.1, 28", "2001:db8::1, 48", "fe80::1, 48"})
    void headers(String address, int octets) {
        assertThat(DatagramAddress.of(new InetSocketAddress(address, 7174)).headers())
                .isEqualTo(octets);
    }

    @ParameterizedTest
    @DisplayName("distinguishes groups and broadcast from hosts")
    @CsvSource({
        "223.255.255.255, false",
        "224.0.0.1, true",
        "239.1.2.3, true",
        "240.0.0.1, false",
        "255.255.255.255, true",
        "fe80::1, false",
        "ff02::1, true"
    })
    void group(String address, boolean group) {
        assertThat(DatagramAddress.of(new InetSocketAddress(address, 7174)).group())
                .isEqualTo(group);
    }

    @Test
    @DisplayName("converts back to the same socket address, with its scope")
    void forSockets() {
        for (String address : new String[] {"10.0.0.1", "2001:db8::1", "fe80::1%1"}) {
            InetSocketAddress end = new InetSocketAddress(address, 65_535);

            assertThat(DatagramAddress.of(end).toSocketAddress()).isEqualTo(end);
        }
    }
}
