package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A failed connect becomes")
class ConnectProblemTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7174);
    private final IOException cause = new IOException("Die Verbindung wurde zurückgesetzt");

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of(LlpFailure.REFUSED, "no program listens"),
                Arguments.of(LlpFailure.UNREACHABLE, "no route"),
                Arguments.of(LlpFailure.TIMED_OUT, "does not answer"),
                Arguments.of(LlpFailure.CLOSED_BY_PEER, "zurückgesetzt"),
                Arguments.of(LlpFailure.ADDRESS_NOT_AVAILABLE, "from this host"),
                Arguments.of(LlpFailure.PERMISSION_DENIED, "does not let this user"),
                Arguments.of(LlpFailure.LOCAL, "zurückgesetzt"));
    }

    @ParameterizedTest
    @MethodSource("answers")
    @DisplayName("a sentence with the peer and advice:")
    void connect(LlpFailure failure, String hint) {
        ConnectProblem problem = ConnectProblem.ofConnect(PEER, null, failure, cause);
        assertThat(problem.failure()).isEqualTo(failure);
        assertThat(problem.sentence()).contains("127.0.0.1:7174", hint);
    }

    @Test
    @DisplayName("a sentence even if the exception has no message")
    void silent() {
        assertThat(ConnectProblem.ofConnect(PEER, null, LlpFailure.LOCAL, new UnsupportedOperationException())
                        .sentence())
                .contains("UnsupportedOperationException");
    }

    @ParameterizedTest
    @EnumSource(names = {"UNREACHABLE", "CLOSED_BY_PEER", "ADDRESS_NOT_AVAILABLE", "LOCAL"})
    @DisplayName("a sentence about the two addresses, if one is IPv4 and the other IPv6, for any error of the system:")
    void families(LlpFailure failure) throws UnknownHostException {
        InetSocketAddress own = new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 0);
        ConnectProblem problem = ConnectProblem.ofConnect(PEER, own, failure, cause);
        assertThat(problem.failure()).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(problem.sentence()).contains("127.0.0.1:7174", "one is an address of IPv4, the other of IPv6");
    }

    @Test
    @DisplayName("a sentence about the name, if the host is not known")
    void unknownHost() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        for (ConnectProblem problem : new ConnectProblem[] {
            ConnectProblem.unknownHost(unknown), ConnectProblem.ofConnect(unknown, null, LlpFailure.LOCAL, cause)
        }) {
            assertThat(problem.failure()).isEqualTo(LlpFailure.UNREACHABLE);
            assertThat(problem.sentence()).contains("nowhere.invalid", "check its name");
        }
    }

    @Test
    @DisplayName("a sentence with the address, if it is about listening")
    void listen() {
        ConnectProblem unknown = ConnectProblem.ofListen(
                InetSocketAddress.createUnresolved("nowhere.invalid", 1), LlpFailure.LOCAL, cause);
        assertThat(unknown.failure()).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(unknown.sentence()).contains("nowhere.invalid:1", "check its name");
        assertThat(ConnectProblem.ofListen(PEER, LlpFailure.ADDRESS_IN_USE, cause)
                        .sentence())
                .contains("127.0.0.1:7174", "another program");
        assertThat(ConnectProblem.ofListen(PEER, LlpFailure.PERMISSION_DENIED, cause)
                        .sentence())
                .contains("127.0.0.1:7174", "does not let this user");
        assertThat(ConnectProblem.ofListen(PEER, LlpFailure.ADDRESS_NOT_AVAILABLE, cause)
                        .sentence())
                .contains("127.0.0.1:7174", "does not have that address");
    }
}
