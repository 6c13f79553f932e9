package dev.jwarp.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Results;
import dev.jwarp.tools.cli.Table;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScaffoldingTest {
    @ParameterizedTest
    @CsvSource({"0, 0ns", "999, 999ns", "1000, 1.0us", "12345, 12.3us", "4600000, 4.6ms", "1250000000, 1.25s"})
    @DisplayName("a duration has the unit that suits it")
    void durationHasUnitThatSuitsIt(long nanos, String text) {
        assertThat(Quantities.duration(nanos)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "4096, 4096", "64K, 65536", "64KiB, 65536", "1m, 1048576", "2GiB, 2147483648"})
    @DisplayName("bytes may be written short")
    void bytesMayBeWrittenShort(String text, long bytes) {
        assertThat(Quantities.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "K", "-1", "1.5M", "10B", "9223372036854775807K", "0x10"})
    @DisplayName("what is no number of bytes is refused with a sentence")
    void whatIsNoNumberOfBytesIsRefusedWithSentence(String text) {
        assertThatThrownBy(() -> Quantities.bytes(text))
                .hasMessageContaining("'" + text + "' is not a number of bytes");
    }

    @Property
    @Label("every number of bytes is read back")
    void everyNumberOfBytesIsReadBack(@ForAll @LongRange(min = 0) long bytes) {
        assertThat(Quantities.bytes(Long.toString(bytes))).isEqualTo(bytes);
    }

    @Test
    @DisplayName("a rate that was not measured is a dash and null")
    void rateThatWasNotMeasuredIsDashAndNull() {
        assertThat(Quantities.mebibytesPerSecond(1, 0)).isNull();
        assertThat(Quantities.oneDigit(null)).isEqualTo("-");
        assertThat(Quantities.oneDigit(Double.NaN)).isEqualTo("-");
        assertThat(Quantities.mebibytesPerSecond(1 << 20, 1_000_000_000)).isEqualTo(1.0);
    }

    @Test
    @DisplayName("a table has its first column left and the numbers right")
    void tableHasItsFirstColumnLeftAndNumbersRight() {
        assertThat(new Table("what", "n").row("a", "1").row("longer", "1000").lines())
                .containsExactly("what       n", "a          1", "longer  1000");
        assertThatThrownBy(() -> new Table("what", "n").row("a")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("JSON has no infinity and no NaN")
    void jsonHasNoInfinityAndNoNan() throws Exception {
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
    @DisplayName("exit statuses are those of the conventions")
    void exitStatusesAreThoseOfConventions() {
        assertThat(Arrays.stream(ExitStatus.values()).map(ExitStatus::code)).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(ExitStatus.ofSignal(Interruption.SIGINT)).isEqualTo(130);
    }

    @ParameterizedTest
    @EnumSource(RdmaErrorCode.class)
    @DisplayName("every failure of the verbs has its exit status and only a bug asks for a stack")
    void everyFailureOfVerbsHasItsExit(RdmaErrorCode code) {
        ToolFailure failure = Failures.explain(new RdmaException(code, "This went wrong."), false);

        assertThat(failure.status().code()).isEqualTo(code.exitStatus());
        if (code == RdmaErrorCode.INTERNAL) {
            assertThat(failure.details()).containsExactly("JWARP_DEBUG=1 shows where");
        } else {
            assertThat(failure.sentence()).isEqualTo("This went wrong.");
        }
    }

    @Test
    @DisplayName("too little memory is said and is no bug")
    void tooLittleMemoryIsSaidAndIsNoBug() {
        ToolFailure failure = Failures.explain(new OutOfMemoryError("Java heap space"), false);

        assertThat(failure.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(failure.sentence()).isEqualTo("out of memory: Java heap space");
        assertThat(failure.details()).anySatisfy(line -> assertThat(line).contains("-Xmx"));
    }

    @Test
    @DisplayName("a stack is shown for a bug and only if wanted")
    void stackIsShownForBugAndOnlyIfWanted() {
        RuntimeException bug = new IllegalStateException("oops");

        assertThat(Failures.explain(bug, false).status()).isEqualTo(ExitStatus.INTERNAL);
        assertThat(String.join("\n", Failures.explain(bug, false).details())).doesNotContain("\tat ");
        assertThat(String.join("\n", Failures.explain(bug, true).details())).contains("\tat dev.jwarp.tools");
    }

    @Test
    @DisplayName("the reason of a rejection is shown but cannot move the cursor")
    void reasonOfRejectionIsShownButCannotMoveCursor() {
        byte[] friendly = "come back tomorrow".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        byte[] hostile = {0x1b, '[', '2', 'J'};

        assertThat(explained(friendly).details()).containsExactly("the peer says: \"come back tomorrow\"");
        assertThat(explained(hostile).details()).containsExactly("the peer says: 1b5b324a");
    }

    private static ToolFailure explained(byte[] privateData) {
        return Failures.explain(new RdmaException(RdmaErrorCode.REJECTED, "rejected", null, 0, privateData), false);
    }

    @Test
    @DisplayName("output that is not read ends the command like a broken pipe")
    void outputThatIsNotReadEndsCommandLikeBrokenPipe() {
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

    @ParameterizedTest
    @CsvSource({
        "a reader that has gone, 141, ''",
        "No space left on device, 3, jwarp: results are lost: standard output cannot be written: No space left on device"
    })
    @DisplayName(
            "results that cannot be written are not lost in silence: a reader that has gone ends the command by SIGPIPE, all else is a sentence")
    void lostResults(String reason, int status, String said) {
        String systems = status == Interruption.SIGPIPE + 128 ? Results.BROKEN_PIPE : reason; // in its language
        for (String[] command :
                new String[][] {{"devinfo", "--json"}, {"devinfo"}, {"help"}, {"rping", "--help"}, {"--version"}}) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Console console = new Console(
                    new Results(new OutputStream() {
                        @Override
                        public void write(int octet) throws IOException {
                            throw new IOException(systems);
                        }
                    }),
                    new PrintStream(err, true, UTF_8),
                    System::nanoTime,
                    Map.of(),
                    new java.util.Properties(),
                    new Interruption(),
                    picocli.CommandLine.Help.Ansi.OFF);

            assertThat(Main.run(console, command)).as(String.join(" ", command)).isEqualTo(status);
            assertThat(err.toString(UTF_8).strip()).isEqualTo(said);
        }
    }

    @Test
    @DisplayName("the first reason to end counts")
    void firstReasonToEndCounts() {
        Interruption interruption = new Interruption();

        interruption.request(Interruption.SIGPIPE);
        interruption.request(Interruption.SIGINT);

        assertThat(interruption.signal()).isEqualTo(13);
    }
}
