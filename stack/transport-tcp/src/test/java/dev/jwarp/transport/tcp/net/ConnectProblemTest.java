package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.LlpFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What the system says about a failed connect becomes")
class ConnectProblemTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7174);

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of(new ConnectException("Connection refused"), LlpFailure.REFUSED, "nobody listens"),
                Arguments.of(
                        new IOException("finishConnect(..) failed with error(-111): Connection refused"),
                        LlpFailure.REFUSED,
                        "nobody listens"),
                Arguments.of(new NoRouteToHostException("No route to host"), LlpFailure.UNREACHABLE, "no route"),
                Arguments.of(new SocketException("Network is unreachable"), LlpFailure.UNREACHABLE, "no route"),
                Arguments.of(new ConnectException("Connection timed out"), LlpFailure.TIMED_OUT, "does not answer"),
                Arguments.of(new IOException("Connection reset by peer"), LlpFailure.CLOSED_BY_PEER, "reset"),
                Arguments.of(new BindException("Cannot assign requested address"), LlpFailure.BIND_FAILED, "from"),
                Arguments.of(
                        new IOException("bind(..) failed with error(-99): Cannot assign requested address"),
                        LlpFailure.BIND_FAILED,
                        "from"),
                Arguments.of(new IOException("Too many open files"), LlpFailure.LOCAL, "Too many open files"),
                Arguments.of(new UnsupportedOperationException(), LlpFailure.LOCAL, "UnsupportedOperationException"));
    }

    @ParameterizedTest
    @MethodSource("answers")
    @DisplayName("a kind, and a sentence with the peer and what to do:")
    void connect(Exception cause, LlpFailure failure, String hint) {
        ConnectProblem problem = ConnectProblem.ofConnect(PEER, null, cause);
        assertThat(problem.failure()).isEqualTo(failure);
        assertThat(problem.sentence()).contains("127.0.0.1:7174", hint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Address family not supported by protocol", "Network is unreachable"})
    @DisplayName("a sentence about the two addresses, if one is of IPv4 and the other of IPv6:")
    void families(String said) throws UnknownHostException {
        InetSocketAddress own = new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 0);
        ConnectProblem problem = ConnectProblem.ofConnect(PEER, own, new SocketException(said));
        assertThat(problem.failure()).isEqualTo(LlpFailure.BIND_FAILED);
        assertThat(problem.sentence()).contains("127.0.0.1:7174", "one is an address of IPv4, the other of IPv6");
    }

    @Test
    @DisplayName("a sentence about the name, if the host is not known")
    void unknownHost() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        ConnectProblem problem = ConnectProblem.ofConnect(unknown, null, new UnknownHostException("nowhere.invalid"));
        assertThat(problem.failure()).isEqualTo(LlpFailure.UNREACHABLE);
        assertThat(problem.sentence()).contains("nowhere.invalid", "check its name");
    }

    @Test
    @DisplayName("a sentence with the address, if it is about listening")
    void listen() {
        assertThat(ConnectProblem.ofListen(
                                InetSocketAddress.createUnresolved("nowhere.invalid", 1),
                                new java.nio.channels.UnresolvedAddressException())
                        .sentence())
                .contains("nowhere.invalid:1", "check its name");
        assertThat(ConnectProblem.ofListen(PEER, new BindException("Address already in use"))
                        .sentence())
                .contains("127.0.0.1:7174", "another program");
        assertThat(ConnectProblem.ofListen(PEER, new BindException("Permission denied"))
                        .sentence())
                .contains("127.0.0.1:7174", "Permission denied");
    }
}
