package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * A test runs every snippet of the pages for users. A Java snippet is a whole program; the text block after it is
 * its output.
 */
@DisplayName("The snippets of the pages")
class SnippetsTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.jwarp");
    private static final Pattern RUN_BY = Pattern.compile("<!-- run by (\\S+) -->");

    /** The beginning of a command: a block with such a line must name its kind. */
    private static final Pattern COMMAND =
            Pattern.compile("^(\\./jwarp|jwarp|mvn|java|benchmarks/|interop/|tcpdump|git|cd) ?.*", Pattern.MULTILINE);

    @TempDir
    private static Path folder;

    /** Compiles all programs in one run: most of the time goes into their imports. */
    @BeforeAll
    static void compileAll() throws IOException {
        compile(programs().toList(), folder);
    }

    static Stream<Snippet> programs() {
        return Snippet.all().stream().filter(snippet -> snippet.is("java") && !snippet.inTutorial());
    }

    @ParameterizedTest
    @MethodSource("programs")
    @DisplayName("compile, run, and print the text after them, without a warning of the stack:")
    void run(Snippet program) throws Exception {
        List<String> warnings = warnings();
        try {
            assertThat(output(program.className())).isEqualToIgnoringNewLines(printed(program));
        } finally {
            LOG.detachAndStopAllAppenders();
        }
        assertThat(warnings).as("warnings of the stack").isEmpty();
    }

    @Test
    @DisplayName("each have a test that runs them")
    void runners() {
        List<Snippet> all = Snippet.all();
        assertThat(all).hasSizeGreaterThan(50);
        for (int i = 0; i < all.size(); i++) {
            checkRun(all, i);
        }
    }

    /**
     * Fails if no test runs the snippet. This test or {@link TutorialTest} runs Java programs, {@code .ci/doc-commands}
     * blocks of kind sh, {@code .ci/outside} blocks of kind xml; for a block of kind console a comment names the test.
     */
    private static void checkRun(List<Snippet> all, int index) {
        Snippet snippet = all.get(index);
        switch (snippet.language()) {
            case "java", "sh" -> {}
            case "" ->
                assertThat(COMMAND.matcher(snippet.text()).find())
                        .as("%s shows commands: say sh, or console with a comment before it", snippet)
                        .isFalse();
            case "text" ->
                assertThat(index > 0 && all.get(index - 1).page().equals(snippet.page()))
                        .as("%s follows the snippet that prints it", snippet)
                        .isTrue();
            case "xml" ->
                assertThat(snippet.page()).as("`.ci/outside` reads it there").isIn("README.md", Snippet.TUTORIAL);
            case "console" -> checkNamed(snippet);
            default -> fail("%s: no test runs a snippet of %s", snippet, snippet.language());
        }
    }

    /** A comment names the test or script that runs a similar snippet. */
    private static void checkNamed(Snippet snippet) {
        Matcher comment = RUN_BY.matcher(snippet.before());
        assertThat(comment.matches())
                .as("%s cannot run unchanged: a comment before it must name the test of a similar snippet", snippet)
                .isTrue();
        String by = comment.group(1);
        assertThat(NamedTests.isClass(by) || Files.exists(Source.TOP.resolve(by)))
                .as("%s, the test of %s", by, snippet)
                .isTrue();
    }

    /** {@return the program's output by the page} */
    private static String printed(Snippet program) {
        List<Snippet> all = Snippet.all();
        int next = all.indexOf(program) + 1;
        assertThat(next).as("a text block after %s", program).isLessThan(all.size());
        Snippet text = all.get(next);
        assertThat(text.page()).isEqualTo(program.page());
        assertThat(text.language()).as("the block after %s", program).isEqualTo("text");
        return text.text();
    }

    /** Compiles whole programs into the folder. */
    static void compile(List<Snippet> programs, Path folder) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Snippet program : programs) {
            Path source = folder.resolve(program.className() + ".java");
            Files.writeString(source, program.text());
            sources.add(source);
        }
        assertThat(Javac.compile(sources, folder, "all,-try", problem -> {
                    throw new AssertionError("the snippet: " + problem);
                }))
                .isTrue();
    }

    private static String output(String name) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream console = System.out;
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            Method main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(console);
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    /** {@return a list that receives the stack's warnings from now on} */
    private static List<String> warnings() {
        List<String> warnings = Collections.synchronizedList(new ArrayList<>());
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                    warnings.add(event.getFormattedMessage());
                }
            }
        };
        appender.setContext(LOG.getLoggerContext());
        appender.start();
        LOG.addAppender(appender);
        return warnings;
    }
}
