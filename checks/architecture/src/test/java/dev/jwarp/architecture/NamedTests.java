package dev.jwarp.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tests that a page names as {@code Class#method}. */
final class NamedTests {
    private static final List<String> ANNOTATIONS = List.of(
            "Test",
            "Property",
            "Example",
            "FuzzTest",
            "ParameterizedTest",
            "EachWorld",
            "EachTcpWorld",
            "EachDatagramWorld");

    /** Test sources by class name; several classes may have the same name. */
    private static final Map<String, List<Path>> SOURCES = sources();

    private NamedTests() {}

    private static Map<String, List<Path>> sources() {
        try (Stream<Path> all = Files.find(Source.TOP, 20, (path, is) -> {
            String name = Source.TOP.relativize(path).toString();
            return name.endsWith(".java") && name.contains("src/test/java") && !name.startsWith("target/");
        })) {
            return all.collect(Collectors.groupingBy(
                    path -> path.getFileName().toString().replace(".java", ""), HashMap::new, Collectors.toList()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return whether there is a test class with that name} */
    static boolean isClass(String name) {
        return SOURCES.containsKey(name);
    }

    /** {@return whether an annotation of this name makes a method a test} */
    static boolean isTest(String annotation) {
        return ANNOTATIONS.contains(annotation);
    }

    /** {@return whether a source has a test method with that name} */
    static boolean isThere(String test) throws IOException {
        String name = test.substring(0, test.indexOf('#'));
        Pattern method = Pattern.compile("@(" + String.join("|", ANNOTATIONS)
                + ")\\b[^{}]*?(\\{[^{}]*\\}[^{}]*?)*\\svoid " + test.substring(name.length() + 1) + "\\(");
        for (Path source : SOURCES.getOrDefault(name, List.of())) {
            if (method.matcher(Files.readString(source)).find()) {
                return true;
            }
        }
        return false;
    }
}
