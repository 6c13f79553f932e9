package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything that the guides name exists: pages, classes, methods, settings, counters. */
@DisplayName("The pages for users")
class UserPagesTest {
    private static final Path DOCS = Source.TOP.resolve("docs");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern SETTING = Pattern.compile("`(jwarp(\\.[a-z-]+)+)(=[^`]*)?`");
    private static final Pattern COUNTER = Pattern.compile("`([a-z]+(_[a-z]+)+)`");
    private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w+)\\.([a-z]\\w*)(\\(\\))?");

    @Test
    @DisplayName("are all in the index")
    void index() throws IOException {
        String index = Files.readString(DOCS.resolve("README.md"));
        try (Stream<Path> pages = Files.list(DOCS)) {
            assertThat(pages.map(page -> page.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md")))
                    .allSatisfy(name -> assertThat(index).contains("(" + name + ")"));
        }
        assertThat(Files.readString(Source.TOP.resolve("README.md"))).contains("(docs/README.md)");
    }

    @Test
    @DisplayName("map names of libibverbs, librdmacm, DiSNI and JUCX to existing classes and methods")
    void migration() throws IOException {
        List<String> names = new ArrayList<>();
        for (String line : Files.readAllLines(DOCS.resolve("migration.md"))) {
            String[] cells = line.split("\\|", -1);
            if (line.startsWith("| `") && cells.length == 5) {
                CODE.matcher(cells[2]).results().forEach(found -> names.add(found.group(1)));
            }
        }
        assertThat(names).hasSizeGreaterThan(80).allSatisfy(UserPagesTest::isThere);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "datagrams-with-loss.md",
                "event-loops.md",
                "memory-and-closing.md",
                "migration.md",
                "performance.md",
                "securing-a-service.md",
                "tuning.md",
                "tutorial.md",
                "when-to-use.md"
            })
    @DisplayName("name existing members, settings and counters:")
    void names(String page) throws IOException {
        String text = Files.readString(DOCS.resolve(page));
        Set<String> settings =
                RdmaProvider.load().settings().stream().map(Setting::key).collect(Collectors.toSet());
        assertThat(SETTING.matcher(text).results().map(found -> found.group(1))).isSubsetOf(settings);
        if (!page.equals("migration.md")) { // names of C look like counters
            String counters = Files.readString(DOCS.resolve("counters.md"));
            assertThat(COUNTER.matcher(text).results().map(found -> found.group()))
                    .allSatisfy(counter -> assertThat(counters).contains("| " + counter + " |"));
            assertThat(CODE.matcher(text)
                            .results()
                            .map(found -> found.group(1))
                            .filter(name -> MEMBER.matcher(name).matches() && isOurs(name)))
                    .allSatisfy(UserPagesTest::isThere);
        }
    }

    private static boolean isOurs(String name) {
        return !name.startsWith("FileChannel.");
    }

    /** Fails unless the name is a class of the verbs, or a public method of one: {@code CmId.bind}. */
    private static void isThere(String name) {
        String[] parts = name.replace("()", "").split("\\.", -1);
        try {
            Class<?> type = Class.forName("dev.jwarp.verbs." + parts[0]);
            Stream<Method> all = Stream.concat(Arrays.stream(type.getMethods()), builder(type));
            assertThat(parts.length == 1
                            || all.anyMatch(method ->
                                    method.getName().equals(parts[1]) && Modifier.isPublic(method.getModifiers())))
                    .as(name)
                    .isTrue();
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name + " is no class of the verbs", e);
        }
    }

    private static Stream<Method> builder(Class<?> type) {
        return Arrays.stream(type.getDeclaredClasses()).flatMap(inner -> Arrays.stream(inner.getMethods()));
    }
}
