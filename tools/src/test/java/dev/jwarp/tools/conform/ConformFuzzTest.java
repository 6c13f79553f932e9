package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.vectors.Whole;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code jwarp conform --fuzz} against jwarp itself. */
class ConformFuzzTest {
    private static final String CONVERSATIONS = String.valueOf(Whole.or(200, 1000));

    @TempDir
    Path folder;

    @Test
    @DisplayName("jwarp still serves a good client after mutated conversations")
    void jwarpStillServesGoodClient() {
        Run run = Run.of(
                "conform",
                "--self",
                "--fuzz",
                CONVERSATIONS,
                "--seed",
                "1",
                "--jobs",
                "4",
                "--keep",
                folder.toString());

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains("seed 1: " + CONVERSATIONS + " conversations", "Terminate 2/0/02 MPA: CRC", "no fault")
                .contains("heap after a collection");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @DisplayName("conversations that were kept can be had again")
    void conversationsThatWereKeptCanBeHadAgain() throws Exception {
        Path file = Files.writeString(folder.resolve("kept.txt"), "# one\n\nsend 4 0 bit_on_the_wire 9 0\n");

        // The Terminate ends the wait, not the clock: a busy machine may take long to send it.
        Run run = Run.of(
                "conform", "--self", "--replay", file.toString(), "--timeout", "30", "--quiet-time", "30", "--json");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"conversations\" : 1", "\"endings\"", "Terminate 2/0/02 MPA: CRC");
    }

    @Test
    @DisplayName("a file that holds no conversations is refused with its line")
    void fileThatHoldsNoConversations() throws Exception {
        Path file = Files.writeString(folder.resolve("kept.txt"), "sing 4 0 none 9 0\n");

        Run run = Run.of("conform", "--self", "--replay", file.toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("line 1");
    }

    @Test
    @DisplayName("a number of conversations that is none is refused")
    void numberOfConversationsThatIsNoneIsRefused() {
        Run run = Run.of("conform", "--self", "--fuzz", "-5");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--fuzz -5 is out of range");
    }
}
