package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The message of a socket exception")
class SocketFaultTest {
    private static final String INCLUDED = "jdk.includeInExceptions";

    @AfterEach
    void clear() {
        System.clearProperty(INCLUDED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.0.0.1:65535",
                "/192.0.2.1:1",
                "some.host/192.0.2.1:1",
                "[::1]:7",
                "[0:0:0:0:0:0:0:1]:7",
                "fe80:0:0:0:1:2:3:4%eth0",
                "2001:db8::7",
                "/[2001:db8:0:0:0:0:0:7%2]:80"
            })
    @DisplayName("has no address")
    void noAddress(String address) {
        assertThat(SocketFault.REFUSED.exception(address + " refused it: ask " + address + ", or another one"))
                .isInstanceOf(ConnectException.class)
                .hasMessage("Connection refused: (address) refused it: ask (address), or another one");
    }

    @ParameterizedTest
    @CsvSource({"hostInfo,true", "'jar, HOSTINFO ',true", "jar,false", "'',false"})
    @DisplayName("has the address if jdk.includeInExceptions says so")
    void address(String included, boolean told) {
        System.setProperty(INCLUDED, included);
        assertThat(SocketFault.RESET.exception("192.0.2.1:1 is gone").getMessage())
                .isEqualTo("Connection reset: " + (told ? "192.0.2.1:1" : "(address)") + " is gone");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"its word is 3:4", "RFC 5044 section 4.4: 1.2.3", "0x12 of 16:00:07", "jwarp.udp.keys: a:b"})
    @DisplayName("keeps text that is not an address")
    void others(String sentence) {
        assertThat(SocketFault.told(sentence)).isEqualTo(sentence);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is in the table of docs/sockets-options.md")
    void documented(SocketFault fault) throws IOException {
        IOException exception = fault.exception("");
        assertThat(Files.readString(Path.of("../docs/sockets-options.md")))
                .contains("`" + exception.getClass().getSimpleName() + "` | "
                        + exception.getMessage().replace(": ", "") + " |");
    }
}
