package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file that describes a program. The message for a wrong file has the line, the fault, and what to write. */
class CustomProgramTest {
    @TempDir
    private Path folder;

    private CustomProgram read(String text) throws IOException {
        return CustomProgram.read(Files.writeString(folder.resolve("program.txt"), text.replace('/', '\n')));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "probe/sned 00 | 2 | sned is no keyword: use receives, closes, offers, memory, greeting, probe,",
                "takes 00 | 1 | takes belongs into a section: put a line with greeting or probe before it",
                "receives 10/# twice/receives 20 | 3 | line 1 already has receives: leave one of them out",
                "receives many | 1 | receives needs a number of bytes, 1 to 1073741824",
                "offers 1025 | 1 | offers needs a number of bytes, 1 to 1024",
                "closes now | 1 | nothing may follow closes: leave out now",
                "memory write | 1 | say what the tester may do with the program's memory: memory read, or memory read write",
                "memory read lots | 1 | memory read needs a number of bytes, 1 to 1099511627776",
                "memory read 64//probe/takes 0000/sends same | 1 | where is this memory? Put stag:4, to:8 and length:4",
                "memory read/greeting/sends stag:4 to:8 | 1 | where is this memory? Put stag:4, to:8 and length:4",
                "greeting/sends stag:4 to:8 length:4 | 2 | what may the tester do with this memory? Put a line 'memory read'",
                "greeting/sends 00/private-data 00 | 3 | private data comes first",
                "greeting/sends same | 2 | same as what? Put a line with takes before it, or write the bytes",
                "greeting/sends count:4 | 2 | only takes can have count: use any:4 here",
                "probe/sends 00 | 2 | a probe begins with what the tester sends: put a line with takes before sends",
                "probe/takes 0000/sends 00/takes 0000 | 4 | a probe has one takes, its first line: begin another probe",
                "probe/takes 00/sends 00 | 2 | some cases divide a probe: give it 2 bytes or more",
                "probe/takes 00 any/sends 00 | 2 | the tester has to send these bytes: write them in place of any",
                "probe/takes 00 any:4/sends 00 | 2 | the tester has to send these bytes: write them in place of any",
                "probe/takes 0000/probe | 3 | what the probe takes before this line has no answer: add takes, then sends,",
                "probe/takes 0000 | 2 | what the probe takes before this line has no answer",
                "probe/takes 0000/sends stag:4 | 3 | memory is described in the greeting: put the fields there, and any:4 here",
                "offers 8/probe/takes stag:4/reads/sends any | 4 | the program must learn which memory: put stag:4 and to:8",
                "probe/takes stag:4 to:8/writes | 3 | how many bytes? Put a line such as 'offers 64'",
                "offers 8/probe/takes stag:4 to:8/reads 00 | 4 | the tester answers with 8 bytes, as offers says",
                "offers 8/probe/takes stag:4 to:8/writes 00 | 4 | nothing may follow writes: leave out 00",
                "probe/takes 000 | 2 | 000 is no hex: write two digits for each byte (00ff), \"text\", or a field such as any:4",
                "probe/takes hello | 2 | hello is no hex",
                "probe/takes \"hello | 2 | a text has no closing quote: add \" at its end",
                "probe/takes | 2 | no bytes: write them as hex (00ff), as \"text\", or as fields",
                "probe/takes 00*1025 | 2 | more than 1024 bytes: use fewer",
                "probe/takes stag:2 | 2 | stag:2 has 2 bytes: use stag:4 to stag:8",
                "probe/takes to:4 | 2 | to:4 has 4 bytes: use to:8",
                "probe/takes key:4 | 2 | key:4 is no field: use stag:4, to:8, length:4, count:4 or any:4",
                "probe/takes 0000/sends any 00 | 3 | nothing may follow 'any': leave out 00, or give a length: any:4",
                "# nothing | 1 | the file describes no action of the program: end it with a line probe,",
            })
    @DisplayName("the message for a wrong file has the line, the fault, and what to write")
    void wrongFileIsToldByLine(String text, int line, String sentence) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(folder.resolve("program.txt") + ":" + line + ": " + sentence);
    }

    @Test
    @DisplayName("a file that is no text has a message of its own")
    void fileThatIsNoText() throws IOException {
        Path file = Files.write(folder.resolve("program.bin"), new byte[] {(byte) 0xFF, (byte) 0xFE});

        assertThatThrownBy(() -> CustomProgram.read(file)).hasMessage(file + " is no text in UTF-8");
    }

    @Test
    @DisplayName("comments are skipped; texts may contain # and blanks")
    void commentsAndTexts() throws IOException {
        CustomProgram program = read("# a comment/  receives 100 # bytes/probe/  takes \"a # b\" 00*2 # c/\tsends any");

        CustomBytes taken = program.probes().get(0).get(0).bytes();
        assertThat(program.receiveSize()).isEqualTo(100);
        assertThat(taken).isNotNull();
        assertThat(taken.with(Map.of())).isEqualTo("a # b\0\0".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    @DisplayName("the greeting shows which end sends first; private data does not count")
    void whoSpeaksFirst() throws IOException {
        assertThat(read("greeting/private-data any/sends 00").speaksFirst()).isTrue();
        assertThat(read("greeting/takes 00/sends 00").speaksFirst()).isFalse();
        assertThat(read("probe/takes 0000/sends 00").speaksFirst()).isFalse();
    }

    @Test
    @DisplayName("the program can do only what the file says")
    void whatFileDoesNotSay() throws IOException {
        Custom least = new Custom(read("greeting/takes 00"));
        Custom most = new Custom(read("receives 8/closes/offers 8/memory read write 1048576/greeting/sends stag:4 to:8/"
                + "probe/takes stag:4 to:8 length:2/reads/sends any"));

        for (Ability ability : Ability.values()) {
            assertThat(least.can(ability)).as("%s", ability).isFalse();
        }
        assertThat(Ability.values())
                .filteredOn(most::can)
                .containsExactlyInAnyOrder(
                        Ability.PROBE,
                        Ability.FOLLOWS,
                        Ability.READS,
                        Ability.RECEIVE_SIZE,
                        Ability.SOURCE,
                        Ability.TARGET,
                        Ability.WRITABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "offers 8/probe/takes stag:4 to:8/reads/sends any",
        "offers 8/probe/takes stag:4 to:8 length:4/reads",
        "offers 8/probe/takes stag:4 to:8 length:4/sends any/reads",
        "offers 8/probe/takes stag:4 to:8 length:4/reads/writes/sends any"
    })
    @DisplayName("a program reads on command only if its file has the length and an answer after the Read")
    void readsOnCommand(String text) throws IOException {
        assertThat(new Custom(read(text)).can(Ability.READS)).isFalse();
    }
}
