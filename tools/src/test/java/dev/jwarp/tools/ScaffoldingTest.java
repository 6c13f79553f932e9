package dev.jwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScaffoldingTest {
    @ParameterizedTest
    @CsvSource({"0, 0ns", "999, 999ns", "1000, 1.0us", "12345, 12.3us", "4600000, 4.6ms", "1250000000, 1.25s"})
    void a_duration_has_the_unit_that_suits_it(long nanos, String text) {
        assertThat(Quantities.duration(nanos)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "4096, 4096", "64K, 65536", "64KiB, 65536", "1m, 1048576", "2GiB, 2147483648"})
    void bytes_may_be_written_short(String text, long bytes) {
        assertThat(Quantities.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "K", "-1", "1.5M", "10B", "9223372036854775807K", "0x10"})
    void what_is_no_number_of_bytes_is_refused_with_a_sentence(String text) {
        assertThatThrownBy(() -> Quantities.bytes(text))
                .hasMessageContaining("'" + text + "' is not a number of bytes");
    }

    @Property
    void every_number_of_bytes_is_read_back(@ForAll @LongRange(min = 0) long bytes) {
        assertThat(Quantities.bytes(Long.toString(bytes))).isEqualTo(bytes);
    }

    @Test
    void a_rate_that_was_not_measured_is_a_dash_and_null() {
        assertThat(Quantities.mebibytesPerSecond(1, 0)).isNull();
        assertThat(Quantities.oneDigit(null)).isEqualTo("-");
        assertThat(Quantities.oneDigit(Double.NaN)).isEqualTo("-");
        assertThat(Quantities.mebibytesPerSecond(1 << 20, 1_000_000_000)).isEqualTo(1.0);
    }

    @Test
    void a_table_has_its_first_column_left_and_the_numbers_right() {
        assertThat(new Table("what", "n").row("a", "1").row("longer", "1000").lines())
                .containsExactly("what       n", "a          1", "longer  1000");
        assertThatThrownBy(() -> new Table("what", "n").row("a")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void json_has_no_infinity_and_no_nan() throws Exception {
        Map<String, Double> numbers = new HashMap<>();
        numbers.put("a", Double.NaN);
        numbers.put("b", Double.POSITIVE_INFINITY);
        numbers.put("c", 1.5);

        var read = new ObjectMapper().readTree(Json.text(numbers));

        assertThat(read.path("a").isNull()).isTrue();
        assertThat(read.path("b").isNull()).isTrue();
        assertThat(read.path("c").asDouble()).isEqualTo(1.5);
    }

    @Test
    void exit_statuses_are_those_of_the_conventions() {
        assertThat(Arrays.stream(ExitStatus.values()).map(ExitStatus::code)).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(ExitStatus.ofSignal(Interruption.SIGINT)).isEqualTo(130);
    }

    @ParameterizedTest
    @EnumSource(RdmaErrorCode.class)
    void every_failure_of_the_verbs_has_its_exit_status_and_only_a_bug_asks_for_a_stack(RdmaErrorCode code) {
        ToolFailure failure = Failures.explain(new RdmaException(code, "This went wrong."), false);

        assertThat(failure.status().code()).isEqualTo(code.exitStatus());
        if (code == RdmaErrorCode.INTERNAL) {
            assertThat(failure.details()).containsExactly("JWARP_DEBUG=1 shows where");
        } else {
            assertThat(failure.sentence()).isEqualTo("This went wrong.");
        }
    }

    @Test
    void too_little_memory_is_said_and_is_no_bug() {
        ToolFailure failure = Failures.explain(new OutOfMemoryError("Java heap space"), false);

        assertThat(failure.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(failure.sentence()).isEqualTo("out of memory: Java heap space");
        assertThat(failure.details()).anySatisfy(line -> assertThat(line).contains("-Xmx"));
    }

    @Test
    void a_stack_is_shown_for_a_bug_and_only_if_wanted() {
        RuntimeException bug = new IllegalStateException("oops");

        assertThat(Failures.explain(bug, false).status()).isEqualTo(ExitStatus.INTERNAL);
        assertThat(String.join("\n", Failures.explain(bug, false).details())).doesNotContain("\tat ");
        assertThat(String.join("\n", Failures.explain(bug, true).details())).contains("\tat dev.jwarp.tools");
    }

    @Test
    void the_reason_of_a_rejection_is_shown_but_cannot_move_the_cursor() {
        byte[] friendly = "come back tomorrow".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        byte[] hostile = {0x1b, '[', '2', 'J'};

        assertThat(explained(friendly).details()).containsExactly("the peer says: \"come back tomorrow\"");
        assertThat(explained(hostile).details()).containsExactly("the peer says: 1b5b324a");
    }

    private static ToolFailure explained(byte[] privateData) {
        return Failures.explain(new RdmaException(RdmaErrorCode.REJECTED, "rejected", null, 0, privateData), false);
    }

    @Test
    void output_that_nobody_reads_ends_the_command_like_a_broken_pipe() {
        Console console = new Console(
                new java.io.PrintStream(
                        new java.io.OutputStream() {
                            @Override
                            public void write(int b) throws java.io.IOException {
                                throw new java.io.IOException("Broken pipe");
                            }
                        },
                        true,
                        java.nio.charset.StandardCharsets.UTF_8),
                System.err,
                System::nanoTime,
                Map.of(),
                new java.util.Properties(),
                new Interruption(),
                picocli.CommandLine.Help.Ansi.OFF);

        console.line("something");

        assertThat(console.interruption().signal()).isEqualTo(Interruption.SIGPIPE);
    }

    @Test
    void the_first_reason_to_end_counts() {
        Interruption interruption = new Interruption();

        interruption.request(Interruption.SIGPIPE);
        interruption.request(Interruption.SIGINT);

        assertThat(interruption.signal()).isEqualTo(13);
    }
}
