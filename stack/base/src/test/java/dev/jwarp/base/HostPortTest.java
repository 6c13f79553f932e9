package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An address as text")
class HostPortTest {
    private static String text(String host) throws Exception {
        return HostPort.text(new InetSocketAddress(InetAddress.getByName(host), 7174));
    }

    @Test
    @DisplayName("is numbers and port, IPv6 in brackets, with its zone")
    void numbers() throws Exception {
        assertThat(text("192.0.2.1")).isEqualTo("192.0.2.1:7174");
        assertThat(text("2001:db8::1")).isEqualTo("[2001:db8:0:0:0:0:0:1]:7174");
        assertThat(text("fe80::1%1")).isEqualTo("[fe80:0:0:0:0:0:0:1%1]:7174");
    }

    @Test
    @DisplayName("has numbers even if it was resolved from a name")
    void lookedUp() throws Exception {
        byte[] octets = {127, 0, 0, 1};
        assertThat(HostPort.text(new InetSocketAddress(InetAddress.getByAddress("some.example", octets), 1)))
                .isEqualTo("127.0.0.1:1");
    }

    @Test
    @DisplayName("is the name if it is not resolved")
    void unresolved() {
        assertThat(HostPort.text(InetSocketAddress.createUnresolved("some.example", 0)))
                .isEqualTo("some.example:0");
        assertThat(HostPort.text(InetSocketAddress.createUnresolved("2001:db8::1", 9)))
                .isEqualTo("[2001:db8::1]:9");
    }
}
