package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** What README.md shows is true: its example compiles and runs, its links lead somewhere. */
class ReadmeTest {
    private static final Path TOP = Path.of("").toAbsolutePath().getParent();

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void the_example_compiles_and_runs(@TempDir Path folder) throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?class (\\w+).*?)```", Pattern.DOTALL)
                .matcher(Files.readString(TOP.resolve("README.md")));
        assertThat(block.find()).as("README.md has an example").isTrue();
        Path source = folder.resolve(block.group(2) + ".java");
        Files.writeString(source, block.group(1));

        compile(source, folder);

        assertThat(run(block.group(2), folder))
                .isEqualToIgnoringNewLines("the server's memory says: written by the client");
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
                                throw new AssertionError("README.md's example: " + problem);
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
