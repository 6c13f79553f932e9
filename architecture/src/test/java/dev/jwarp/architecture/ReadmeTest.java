package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** What the pages show is true: their examples compile and run, without a warning of the stack; their links lead somewhere. */
class ReadmeTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.jwarp");
    private static final Path TOP = Path.of("").toAbsolutePath().getParent();

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "README.md, the server's memory says: written by the client",
                "docs/atomics.md, the counter was 5 and is 6",
                "docs/shared-receive-queues.md, \"receive 0: for the first\nreceive 1: for the second\nSRQ_LIMIT_REACHED\""
            })
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void the_example_compiles_and_runs(String page, String said, @TempDir Path folder) throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?class (\\w+).*?)```", Pattern.DOTALL)
                .matcher(Files.readString(TOP.resolve(page)));
        assertThat(block.find()).as("%s has an example", page).isTrue();
        Path source = folder.resolve(block.group(2) + ".java");
        Files.writeString(source, block.group(1));

        compile(source, folder);

        List<String> warnings = warnings();
        try {
            assertThat(run(block.group(2), folder)).isEqualToIgnoringNewLines(said);
        } finally {
            LOG.detachAndStopAllAppenders();
        }
        assertThat(warnings).as("warnings of the stack about %s", page).isEmpty();
    }

    /** {@return what the stack warns of from now on} */
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

    @Test
    void links_within_the_repository_lead_somewhere() throws IOException {
        try (Stream<Path> top = Files.list(TOP);
                Stream<Path> docs = Files.walk(TOP.resolve("docs"))) {
            for (Path file : Stream.concat(top, docs)
                    .filter(f -> f.toString().endsWith(".md"))
                    .toList()) {
                Matcher link = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)").matcher(Files.readString(file));
                while (link.find()) {
                    assertThat(file.resolveSibling(link.group(1)))
                            .as("%s links to %s", file, link.group(1))
                            .exists();
                }
            }
        }
    }

    private static void compile(Path source, Path folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            Boolean good = compiler.getTask(
                            null,
                            files,
                            problem -> {
                                throw new AssertionError("the example: " + problem);
                            },
                            List.of("-d", folder.toString(), "-proc:none"),
                            null,
                            files.getJavaFileObjects(source))
                    .call();
            assertThat(good).isTrue();
        }
    }

    private static String run(String name, Path folder) throws Exception {
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
}
