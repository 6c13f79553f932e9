package dev.jwarp.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Version;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ManualTest {
    private static final Pattern REQUEST = Pattern.compile("\\.(TH|SH|PP|TP|nf|fi)( .*)?");

    private final CommandLine jwarp = Main.commandLine(Run.later().console());
    private final Map<String, String> files = Manual.files(jwarp);

    @Test
    @DisplayName("Every command has a page of its own, with each of its options and what it is for")
    void pages() {
        assertThat(files).containsKey("share/man/man1/jwarp.1");
        jwarp.getSubcommands().values().forEach(command -> {
            String page = files.get("share/man/man1/" + command.getCommandSpec().qualifiedName("-") + ".1");
            assertThat(page).as(command.getCommandName()).isNotNull();
            command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> assertThat(page)
                            .contains(String.join(", ", option.names()).replace("-", "\\-"))
                            .contains(option.description()[0]
                                    .replace("%%", "%")
                                    .replace("\\", "\\e")
                                    .replace("-", "\\-")));
            assertThat(page)
                    .contains(".SH \"EXIT STATUS\"", ExitStatus.SETUP.sentence().replace("-", "\\-"));
        });
    }

    @Test
    @DisplayName("No line of a page is taken for a request but those that are")
    void requests() {
        files.forEach((path, page) -> {
            if (path.endsWith(".1")) {
                assertThat(page.lines().filter(line -> line.startsWith(".") || line.startsWith("'")))
                        .isNotEmpty()
                        .allMatch(line -> REQUEST.matcher(line).matches());
                assertThat(page.lines()).doesNotContain("");
            }
        });
    }

    @Test
    @DisplayName("The page of a command is what was reviewed")
    void reviewed() {
        String page = files.getOrDefault("share/man/man1/jwarp-decode.1", "");

        Snapshot.assertMatches("manual-decode", page.replace(Version.NUMBER.replace("-", "\\-"), Version.NUMBER));
    }

    @Test
    @DisplayName("bash takes the script for completion, and it offers commands, options and tests of perf")
    void bash() throws Exception {
        String script = files.get("share/bash-completion/completions/jwarp");

        assertThat(complete(script, "jwarp", "dem")).isEqualTo("demo");
        assertThat(complete(script, "jwarp", "perf", "--report_g")).isEqualTo("--report_gbits");
        assertThat(files.get("share/zsh/site-functions/_jwarp"))
                .startsWith("#compdef jwarp\n")
                .contains(script);
    }

    private static String complete(String script, String... words) throws Exception {
        String ask = script + "\nCOMP_WORDS=(" + String.join(" ", words) + "); COMP_CWORD=" + (words.length - 1)
                + "; _complete_jwarp; echo \"${COMPREPLY[*]}\"\n";
        // The shell complains that nobody has pressed a key.
        Process bash = new ProcessBuilder("bash")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var input = bash.outputWriter()) {
            input.write(ask);
        }
        String said = new String(bash.getInputStream().readAllBytes(), UTF_8);
        return said.strip();
    }
}
