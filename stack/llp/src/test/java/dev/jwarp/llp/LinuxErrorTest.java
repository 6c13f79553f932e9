package dev.jwarp.llp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("An error of Linux")
class LinuxErrorTest {
    @ParameterizedTest
    @CsvSource({"98, ADDRESS_IN_USE", "99, ADDRESS_NOT_AVAILABLE", "13, PERMISSION_DENIED", "23, LIMIT_REACHED"})
    @DisplayName("means the same for bind and connect, if it is about this side's address or files:")
    void both(int number, LlpFailure failure) {
        assertThat(LinuxError.ofBind(number, LlpFailure.LOCAL)).isEqualTo(failure);
        assertThat(LinuxError.ofConnect(number, LlpFailure.LOCAL)).isEqualTo(failure);
    }

    @ParameterizedTest
    @CsvSource({"111, REFUSED", "110, TIMED_OUT", "101, UNREACHABLE", "112, UNREACHABLE", "104, CLOSED_BY_PEER"})
    @DisplayName("about the other side is unknown for bind:")
    void connect(int number, LlpFailure failure) {
        assertThat(LinuxError.ofConnect(number, LlpFailure.LOCAL)).isEqualTo(failure);
        assertThat(LinuxError.ofBind(number, LlpFailure.LOCAL)).isEqualTo(LlpFailure.LOCAL);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ADDRESS_NOT_AVAILABLE"})
    @DisplayName("outside the table has the caller's default meaning:")
    void otherwise(LlpFailure failure) {
        assertThat(LinuxError.ofBind(22, failure)).isEqualTo(failure);
        assertThat(LinuxError.ofConnect(0, failure)).isEqualTo(failure);
    }
}
