package dev.jwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.cli.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DocumentationTest {
    private static final Path DOCS = Path.of("../docs");

    @ParameterizedTest
    @EnumSource(ExitStatus.class)
    @DisplayName("the page about exit statuses agrees with the code")
    void pageAboutExitStatusesAgreesWithCode(ExitStatus status) throws Exception {
        assertThat(Files.readString(DOCS.resolve("exit-status.md")))
                .contains("| " + status.code() + " | " + status.sentence() + " |");
    }

    @Test
    @DisplayName("the page about the commands has all of them")
    void pageAboutCommandsHasAllOfThem() throws Exception {
        String page = Files.readString(DOCS.resolve("tools.md"));

        for (String tool :
                Main.commandLine(Run.later().console()).getSubcommands().keySet()) {
            assertThat(page).contains("jwarp " + tool);
        }
    }
}
