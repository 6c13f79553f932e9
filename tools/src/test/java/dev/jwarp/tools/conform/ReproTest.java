package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.repro.Script;
import dev.jwarp.conformance.repro.ScriptPlayer;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.Whole;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code jwarp conform --repro}: what it leaves repeats a fault without the case, and sees it gone. */
class ReproTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            A wrong CRC is not noticed.                         | MPA-4.4-6:wrong-crc@responder              | right
            The pad is not zero.                                | MPA-4.1-3:pad-of-zeros@responder           | other
            """)
    @DisplayName("a script repeats the fault on the faulty device and sees that the right one has it not")
    void scriptRepeatsFault(String fault, String test, String ending) throws Exception {
        Path capture = folder.resolve("out.pcap");
        Path script = folder.resolve("out.txt");
        try (MutantStack.Listening faulty = MutantStack.of(fault).listening()) {
            Run found = run(faulty, "--case", test, "--repro", capture.toString());
            assertThat(found.status()).as(found.out() + found.err()).isEqualTo(1);
            assertThat(found.out()).contains("script       " + script + " (tried: the fault occurs again)");
            assertThat(Files.readString(script)).contains("# " + test, "device responder");

            Run again = run(faulty, "--replay", script.toString());
            assertThat(again.status()).as(again.out() + again.err()).isEqualTo(1);
            assertThat(again.out()).contains("the device did the same as before");
        }
        try (MutantStack.Listening right = MutantStack.unchanged().listening()) {
            Run gone = run(right, "--replay", script.toString(), "--json");
            assertThat(gone.status()).as(gone.out() + gone.err()).isZero();
            assertThat(gone.out()).contains("\"ending\" : \"" + ending + "\"");
        }
        assertThat(Run.of("decode", capture.toString()).out()).contains("MPA Request");
    }

    static Stream<String> scriptOfMutantsCase() {
        return Stream.of(
                        "A Write to an unknown STag is reported with RDMAP's code.",
                        "The reserved half of a Marker is not zero.",
                        "An FPDU is handed up before its CRC is looked at.",
                        "The MULPDU falls below 128 octets.",
                        "No Markers are sent to a peer that asked for them, and some to one that did not.",
                        "A responder spells the Key of its Reply otherwise.")
                .limit(Whole.or(1, 6));
    }

    /** A fault of what is sent, of what is taken, in a configuration, over several connections, of a device that connects. */
    @ParameterizedTest
    @MethodSource
    @DisplayName("the script of a mutant's case does it again with the mutant and not with the stack as it is")
    void scriptOfMutantsCase(String title) throws Exception {
        Mutant mutant = Mutant.all().stream()
                .filter(m -> m.title().equals(title))
                .findFirst()
                .orElseThrow();
        TestCase test = AllCases.suite().cases().stream()
                .filter(c -> c.id().equals(mutant.caughtBy()))
                .findFirst()
                .orElseThrow();
        Patience patience = Patience.of(2_000, 200, 5_000);

        List<Object> made = MutantStack.of(title).reproduced(test, patience);
        Script script = (Script) made.get(1);
        ScriptPlayer.Outcome again = (ScriptPlayer.Outcome) made.get(2);
        ScriptPlayer.Outcome right = (ScriptPlayer.Outcome)
                MutantStack.unchanged().reproduced(script, patience).get(0);

        assertThat(again.ending())
                .as("%s %s", again.sentence(), again.differences())
                .isEqualTo(ScriptPlayer.Ending.AGAIN);
        assertThat(right.ending())
                .as("%s %s", right.sentence(), right.differences())
                .isNotEqualTo(ScriptPlayer.Ending.AGAIN);
        assertThat(Script.parse(script.text(List.of("for people")).lines().toList())
                        .steps())
                .as("what was read back is what was written")
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("note")
                .isEqualTo(script.steps());
    }

    @Test
    @DisplayName(
            "a script for the other role is refused and so is one with a step that is none, or a flag it has no use for")
    void scriptForOtherRoleIsRefused() throws Exception {
        Path initiator =
                Files.writeString(folder.resolve("a.txt"), "device initiator\n1 connect\n1 should a Request\n");
        Path wrong = Files.writeString(folder.resolve("b.txt"), "# one\ndevice responder\n1 connect\n1 send XYZ\n");

        Run other = Run.of("conform", "--self", "--replay", initiator.toString());
        Run none = Run.of("conform", "--self", "--replay", wrong.toString());
        Run program = Run.of("conform", "--peer", "127.0.0.1:1", "--profile", "echo", "--replay", wrong.toString());
        Run nowhere = Run.of("conform", "--self", "--replay", "nowhere.txt");

        assertThat(other.status()).isEqualTo(2);
        assertThat(other.err()).contains("the script is for a device that is the initiator, not the responder");
        assertThat(none.status()).isEqualTo(2);
        assertThat(none.err()).contains("line 4: not bytes to send: XYZ");
        assertThat(program.status()).isEqualTo(2);
        assertThat(program.err()).contains("--profile has no effect with a script: leave one of them out");
        assertThat(nowhere.status()).isEqualTo(2);
        assertThat(nowhere.err()).contains("--replay nowhere.txt: there is no such file");
    }

    @Test
    @DisplayName("what cannot be left is said before the run")
    void whatCannotBeLeftIsSaidBeforeRun() {
        Run self = Run.of(
                "conform",
                "--self",
                "MPA-4.4-6",
                "--repro",
                folder.resolve("a.pcap").toString());
        Run nowhere = Run.of("conform", "--peer", "127.0.0.1:1", "--repro", "/nowhere/a.pcap");

        assertThat(self.status()).isEqualTo(2);
        assertThat(self.err()).contains("--repro needs a device over TCP");
        assertThat(nowhere.status()).isEqualTo(2);
        assertThat(nowhere.err()).contains("there is no folder /nowhere");
    }

    private static Run run(MutantStack.Listening device, String... arguments) {
        List<String> all = new ArrayList<>(List.of("conform", "--peer", device.address(), "--timeout", "2"));
        all.addAll(List.of(arguments));
        if (!all.contains("--replay")) {
            all.addAll(List.of("--profile", "echo"));
        }
        return Run.of(all.toArray(String[]::new));
    }
}
