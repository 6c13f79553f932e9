package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How {@code jwarp conform} is told to speak with a device. */
class ConformFlagsTest {
    @ParameterizedTest(name = "conform {0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "--self --revision 3 | --revision 3 is not a revision: 1 or 2",
                "--listen 0 --revision 1 | --revision is for --peer: a device that connects chooses the revision",
                "--self --ird -1 | --ird -1 is out of range: 0 to 16382",
                "--self --ord 16383 | --ord 16383 is out of range: 0 to 16382",
                "--self --private-data 0xabc | --private-data 0xabc is not hexadecimal: write 0x and two digits for each byte",
                "--self --delay -1 | --delay -1 is out of range: 0 to 60000 milliseconds",
                "--self --restart true | --restart needs --peer or --listen and one case at a time",
                "--peer 127.0.0.1:1 --jobs 2 --restart true | --restart needs --peer or --listen and one case at a time",
                "--profile custom --peer 127.0.0.1:1 | --profile custom needs --program FILE, which describes the program",
                "--program x --peer 127.0.0.1:1 | --program is for --profile custom with --peer or --listen",
                "--self --parameters some | Invalid value for option '--parameters': expected one of [default, each, pairs, all] but was 'some'",
                "--profile custom --program x --self | --program is for --profile custom with --peer or --listen",
                "--profile custom --program nowhere.txt --peer 127.0.0.1:1 | there is no file nowhere.txt for --program"
            })
    @DisplayName("a wrong command line ends with 2")
    void wrongCommandLineEndsWith2(String flags, String sentence) {
        Run run = Run.of(("conform MPA-4.4-6 " + flags).split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: " + sentence);
    }

    @Test
    @DisplayName("too much private data is refused")
    void tooMuchPrivateDataIsRefused() {
        Run run = Run.of("conform", "MPA-4.4-6", "--self", "--private-data", "x".repeat(509));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: --private-data has 509 bytes; at most 508 are possible");
    }

    static Stream<Object[]> deviceThatKeepsRfcsPassesHoweverTesterSpeaks() {
        return Whole.rows(
                4,
                "--crc ask",
                "--markers",
                "--revision 1",
                "--revision 2",
                "--ird 2 --ord 2",
                "--private-data hello",
                "--private-data 0x00ff",
                "--delay 5");
    }

    @ParameterizedTest(name = "conform --self {0}")
    @MethodSource
    @DisplayName("a device that keeps the RFCs passes however the tester speaks")
    void deviceThatKeepsRfcsPassesHoweverTesterSpeaks(String flags) {
        Run run = Run.of(("conform MPA-4.1 MPA-4.4 RDMAP-5.2.1 MPA-7.1.1 --self " + flags).split(" "));

        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).contains(" 0 failed").containsPattern("[1-9]\\d passed");
    }

    @Test
    @DisplayName("without CRCs the cases that need them are skipped with that reason")
    void withoutCrcsCasesThatNeedThemAreSkipped() {
        Run run = Run.of("conform", "--self", "-v", "--crc", "off", "MPA-4.4");

        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out())
                .contains("needs CRCs: excluded by an option of this run")
                .containsPattern("0 passed, \\d\\d skipped, 0 failed");
    }

    @Test
    @DisplayName("with revision 1 the cases of RFC 6581 are skipped")
    void withRevision1CasesOfRfc6581AreSkipped() {
        Run run = Run.of("conform", "--self", "-v", "--revision", "1", "MPA2-9.1-1:ord-within-ird@responder");

        assertThat(run.out()).contains("needs enhanced start-up (RFC 6581): excluded by an option of this run");
    }

    @Test
    @DisplayName("what was found out about the device is in the report")
    void whatWasFoundOutIsInReport() throws Exception {
        Run run = Run.of("conform", "--self", "--json", "MPA2-9.1-4");

        JsonNode survey = new ObjectMapper().readTree(run.out()).at("/result/survey");
        assertThat(survey).hasSize(2);
        assertThat(survey.at("/0/role").asText()).isEqualTo("responder");
        assertThat(survey.at("/0/facts/0/name").asText()).isEqualTo("revision");
        assertThat(survey.at("/0/facts/0/value").asText()).isEqualTo("2, enhanced");
    }

    @Test
    @DisplayName("a run ends when the device connects no more and says so once")
    void runEndsWhenDeviceConnectsNoMore() {
        Run run = Run.of("conform", "--listen", "127.0.0.1:0", "--timeout", "0.05", "--profile", "echo");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).containsOnlyOnce("the device makes no more connections: the run ends here");
        assertThat(run.out()).containsPattern("\\d{3} of \\d{3} cases were not run");
    }

    @Test
    @DisplayName("where no Request is answered no case is tried: a sentence, and status 3")
    void noRequestIsAnswered() throws Exception {
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String at = "127.0.0.1:" + mute.getLocalPort();
            Run run = Run.of("conform", "--peer", at, "--timeout", "0.1", "-i", "0");

            assertThat(run.status()).as(run.toString()).isEqualTo(3);
            assertThat(run.err())
                    .contains(
                            at
                                    + " accepts connections, but does not answer the MPA Request: expected an MPA Reply, got nothing")
                    .contains("--timeout");
            assertThat(run.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("so does a device that connects, again and again or once, and says nothing")
    void noRequestCame(boolean again) throws Exception {
        HeldPort held = new HeldPort();
        int port = held.number();
        String line = "conform --listen 127.0.0.1:" + port + " --timeout 0.1 -i 0";
        try (held;
                Run.Background tester = Run.inBackground(line.split(" "))) {
            boolean came = false;
            while (!tester.ended() && (again || !came)) {
                try (Socket mute = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    mute.getInputStream().readAllBytes(); // until the tester has enough
                    came = true;
                } catch (IOException e) {
                    // It does not listen yet, or no more.
                }
            }
            Run run = tester.await();

            assertThat(run.status()).as(run.toString()).isEqualTo(3);
            assertThat(run.err()).contains("sends no MPA Request: expected one, got nothing within the time allowed");
        }
    }

    @Test
    @DisplayName("a run ends when the device has been refusing connections and says so once")
    void runEndsWhenDeviceHasEnded() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String at = "127.0.0.1:" + listener.getLocalPort();
            Thread ending = new Thread(() -> endsAtFirst(listener));
            ending.start();
            Run run = Run.of("conform", "--peer", at, "--timeout", "0.2", "--profile", "none", "-i", "0");
            ending.join();

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).containsOnlyOnce("the device accepts no more connections: the run ends here");
            assertThat(run.out()).containsPattern("\\d{3} of \\d{3} cases were not run");
        }
    }

    /** A program that ends over its first connection. */
    private static void endsAtFirst(ServerSocket listener) {
        try (listener;
                Socket first = listener.accept()) {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--self --fuzz 1 MPA-4.4",
                "--self --fuzz 1 --strict",
                "--self --fuzz 1 --junit r.xml",
                "--self --fuzz 1 -v",
                "--self --replay f.txt --seed 1",
                "--self --replay f.txt --fuzz 1",
                "--self --profile rping",
                "--self --peer-command true",
                "--peer 127.0.0.1:1 --seed 1",
                "--peer 127.0.0.1:1 --keep .",
                "--peer 127.0.0.1:1 --datagram --crc off",
                "--peer 127.0.0.1:1 --datagram --profile echo",
                "--peer 127.0.0.1:1 --peer-command true",
                "--listen 0 --settle 1",
                "--list --self --peer 127.0.0.1:1",
                "--list --junit r.xml",
                "--list --explain --peer 127.0.0.1:1",
                "--explain --case MPA-4.4-6 --strict",
                "--explain --case MPA-4.4-6 --list",
                "--explain --case MPA-4.4-6 --keep ."
            })
    @DisplayName("a flag that changes nothing beside another one is refused with a sentence")
    void flagsThatChangeNothing(String line) {
        List<String> words = new ArrayList<>(List.of("conform"));
        words.addAll(List.of(line.split(" ")));
        Run run = Run.of(words.toArray(String[]::new));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).containsPattern("has no effect with|is needed|without --fuzz|needs --listen");
    }
}
