package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sockets.connection.SocketSetting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The rules that select RDMA")
class SocketRulesTest {
    private static final String RULES = """
            connect 10.1.2.3:80       rdma         # one of a network that is not
            connect 10.0.0.0/13:*     tcp
            listen  *:9000-9099       tcp
            connect [2001:db8::]/33:* rdma-or-tcp
            *       *:22              tcp
            """;

    private static InetSocketAddress at(String host, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 80, RDMA",
        "10.1.2.3, 81, TCP",
        "10.7.255.255, 80, TCP",
        "10.8.0.0, 80, RDMA",
        "2001:db8:7fff::1, 1, RDMA_OR_TCP",
        "2001:db8:8000::1, 1, RDMA",
        "192.0.2.1, 22, TCP",
        "192.0.2.1, 9000, RDMA"
    })
    @DisplayName("select the mode of a peer by the first match:")
    void connect(String host, int port, SocketMode mode) throws IOException {
        assertThat(SocketRules.of(RULES).toConnect(at(host, port))).isEqualTo(mode);
    }

    @ParameterizedTest
    @CsvSource({"8999, RDMA", "9000, TCP", "9099, TCP", "9100, RDMA", "22, TCP"})
    @DisplayName("select the mode of a listener:")
    void listen(int port, SocketMode mode) throws IOException {
        assertThat(SocketRules.of(RULES).toListen(at("0.0.0.0", port))).isEqualTo(mode);
    }

    @Test
    @DisplayName("select RDMA if there are none")
    void none() throws IOException {
        assertThat(SocketRules.of(" # nothing\n;").toConnect(at("192.0.2.1", 1)))
                .isEqualTo(SocketMode.RDMA);
    }

    @Test
    @DisplayName("select the mode of datagrams; both protocols if there are none")
    void datagrams() throws IOException {
        assertThat(SocketRules.of(RULES).toSend(at("10.1.2.3", 81))).isEqualTo(SocketMode.TCP);
        assertThat(SocketRules.of(RULES).toSend(at("10.1.2.3", 80))).isEqualTo(SocketMode.RDMA);
        assertThat(SocketRules.of("").toSend(at("192.0.2.1", 1))).isEqualTo(SocketMode.RDMA_OR_TCP);
    }

    @Test
    @DisplayName("can stand in a file")
    void file(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("rules"), RULES);
        System.setProperty(SocketSetting.RULES.key(), "@" + file);
        try {
            assertThat(SocketRules.ofProcess().toListen(at("0.0.0.0", 22))).isEqualTo(SocketMode.TCP);
            Files.delete(file);
            assertThatThrownBy(SocketRules::ofProcess).hasMessageContaining(file.toString());
        } finally {
            System.clearProperty(SocketSetting.RULES.key());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "connect *:80 | a rule has three words",
                "send *:80 rdma | a rule begins with connect, listen or *",
                "connect *:80 udp | a rule ends with one of rdma, tcp, rdma-or-tcp",
                "connect host:80 tcp | names are not looked up",
                "connect 10.0.0.0/33:80 tcp | 33 is not a number from 0 to 32",
                "connect 10.0.0.0:65536 tcp | 65536 is not a number from 0 to 65535",
                "connect 10.0.0 tcp | either of which may be *",
                "connect 10.0.0.0:1-x tcp | x is not a number"
            })
    @DisplayName("are rejected with the invalid rule and the reason:")
    void wrong(String rule, String why) {
        assertThatThrownBy(() -> SocketRules.of(rule))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + rule + "\"")
                .hasMessageContaining(why);
    }
}
