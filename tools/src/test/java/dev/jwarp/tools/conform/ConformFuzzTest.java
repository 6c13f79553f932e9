package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code jwarp conform --fuzz} against jwarp itself. */
class ConformFuzzTest {
    @TempDir
    Path folder;

    @Test
    void jwarp_still_serves_a_good_client_after_mutated_conversations() {
        Run run = Run.of(
                "conform", "--self", "--fuzz", "1000", "--seed", "1", "--jobs", "4", "--keep", folder.toString());

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains("seed 1: 1000 conversations", "Terminate 2/0/02 MPA: CRC", "no fault")
                .contains("heap after a collection");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void conversations_that_were_kept_can_be_had_again() throws Exception {
        Path file = Files.writeString(folder.resolve("kept.txt"), "# one\n\nsend 4 0 bit_on_the_wire 9 0\n");

        // The Terminate ends the wait, not the clock: a busy machine may take long to send it.
        Run run = Run.of("conform", "--self", "--replay", file.toString(), "--quiet-time", "30", "--json");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"conversations\" : 1", "\"endings\"", "Terminate 2/0/02 MPA: CRC");
    }

    @Test
    void a_file_that_holds_no_conversations_is_refused_with_its_line() throws Exception {
        Path file = Files.writeString(folder.resolve("kept.txt"), "sing 4 0 none 9 0\n");

        Run run = Run.of("conform", "--self", "--replay", file.toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("line 1");
    }

    @Test
    void a_number_of_conversations_that_is_none_is_refused() {
        Run run = Run.of("conform", "--self", "--fuzz", "-5");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--fuzz -5 is out of range");
    }
}
