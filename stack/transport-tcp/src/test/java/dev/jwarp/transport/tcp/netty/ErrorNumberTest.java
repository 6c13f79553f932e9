package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpFailure;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("An error of Linux, in any language,")
class ErrorNumberTest {
    @BeforeEach
    void epoll() {
        Assumptions.assumeTrue(Epoll.isAvailable(), "NOT RUN: epoll cannot be had here");
    }

    static Stream<Arguments> numbers() {
        return Stream.of(
                Arguments.of(111, LlpFailure.REFUSED),
                Arguments.of(110, LlpFailure.TIMED_OUT),
                Arguments.of(113, LlpFailure.UNREACHABLE),
                Arguments.of(104, LlpFailure.CLOSED_BY_PEER),
                Arguments.of(98, LlpFailure.ADDRESS_IN_USE),
                Arguments.of(99, LlpFailure.ADDRESS_NOT_AVAILABLE),
                Arguments.of(13, LlpFailure.PERMISSION_DENIED),
                Arguments.of(24, LlpFailure.LIMIT_REACHED),
                Arguments.of(22, LlpFailure.LOCAL));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    @DisplayName("has the meaning of its number:")
    void number(int number, LlpFailure failure) {
        assertThat(ErrorNumber.meaning(new NativeIoException("bind", -number))).isEqualTo(failure);
        assertThat(ErrorNumber.meaning(new ChannelException(new NativeIoException("socket", -number))))
                .isEqualTo(failure);
        ConnectException german = new ConnectException(
                "finishConnect(..) failed with error(-" + number + "): Verbindungsaufbau abgelehnt");
        assertThat(ErrorNumber.meaning(german)).isEqualTo(failure);
        ConnectException annotated = new ConnectException(german.getMessage() + ": /127.0.0.1:7174");
        annotated.initCause(german);
        assertThat(ErrorNumber.meaning(annotated)).isEqualTo(failure);
    }

    static Stream<Arguments> withoutNumber() {
        return Stream.of(
                Arguments.of(new NoRouteToHostException(), LlpFailure.UNREACHABLE),
                Arguments.of(new ConnectException("Verbindungsaufbau abgelehnt"), LlpFailure.LOCAL),
                Arguments.of(new IOException(), LlpFailure.LOCAL));
    }

    @ParameterizedTest
    @MethodSource("withoutNumber")
    @DisplayName("has the meaning of its class, if there is no number:")
    void others(Exception cause, LlpFailure failure) {
        assertThat(ErrorNumber.meaning(cause)).isEqualTo(failure);
    }
}
