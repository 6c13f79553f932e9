package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A simple name identifies a class: in a stack trace, in a page, in a discussion of the code. */
@DisplayName("Names")
class NamesTest {
    /** The parts of the product, with their folders: a developer of one part has all its classes in view. */
    private static final Map<String, List<String>> PARTS = Map.of(
            "the stack", List.of("stack", "verbs-api", "sockets", "adapters"),
            "the tester", List.of("conformance"),
            "the tools", List.of("tools"),
            "the benchmarks", List.of("benchmarks"),
            "the torture tests", List.of("checks/torture"));

    /**
     * Names in two parts, each with the reason. The tester shares no code with the stack that it tests, but has the
     * same objects.
     */
    private static final Map<String, String> IN_TWO_PARTS = Map.of(
            "Agreement", "what two ends agreed on at start-up (RFC 6581): the stack's and the tester's",
            "Crc", "CRC32C of a datagram: the stack's and the tester's",
            "Fpdu", "the frame of RFC 5044: the stack's and the tester's",
            "Kind", "the kinds of datagrams: the stack's and the tester's",
            "StartFrame", "the frames of MPA's start-up: the stack's and the tester's");

    /** Simple names of the classes of a part, with their files. */
    private static Map<String, List<String>> classes(List<String> folders) throws IOException {
        Map<String, List<String>> files = new TreeMap<>();
        for (String folder : folders) {
            try (Stream<Path> all = Files.walk(Source.TOP.resolve(folder))) {
                all.map(path -> Source.TOP.relativize(path).toString())
                        .filter(path -> path.endsWith(".java")
                                && path.contains("src/main/java/")
                                && !path.endsWith("-info.java"))
                        .forEach(path -> files.computeIfAbsent(
                                        path.substring(path.lastIndexOf('/') + 1), k -> new ArrayList<>())
                                .add(path));
            }
        }
        return files;
    }

    @Test
    @DisplayName("of classes occur once in a part of the product")
    void classNamesOccurOnceInPart() throws IOException {
        Set<List<String>> twice = new HashSet<>();
        for (List<String> folders : PARTS.values()) {
            Map<String, List<String>> files = classes(folders);
            assertThat(files).as(folders.toString()).isNotEmpty();
            files.values().stream().filter(of -> of.size() > 1).forEach(twice::add);
        }
        assertThat(twice).as("files of classes with the same simple name").isEmpty();
    }

    @Test
    @DisplayName("of classes in two parts of the product have a reason")
    void classNamesInTwoPartsHaveReason() throws IOException {
        Map<String, Integer> parts = new HashMap<>();
        for (List<String> folders : PARTS.values()) {
            classes(folders).keySet().forEach(file -> parts.merge(file.replace(".java", ""), 1, Integer::sum));
        }
        parts.values().removeIf(count -> count == 1);
        assertThat(new TreeSet<>(parts.keySet()))
                .as("rename one of them; IN_TWO_PARTS has the names that may stay, and no others")
                .isEqualTo(new TreeSet<>(IN_TWO_PARTS.keySet()));
    }

    @Test
    @DisplayName("of tests are in camel case: the sentence is the display name")
    void testNamesAreInCamelCase() throws IOException {
        Collection<String> wrong = new TreeSet<>();
        List<String> names = new ArrayList<>();
        for (Source source : Source.all("/src/test/", Source.folders())) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitMethod(MethodTree method, Void nothing) {
                    String name = method.getName().toString();
                    names.add(name);
                    if (name.contains("_")) {
                        wrong.add(source.place(name, source.start(method)).toString());
                    }
                    return super.visitMethod(method, null);
                }
            }.scan(source.tree(), null);
        }
        assertThat(names).hasSizeGreaterThan(1000);
        assertThat(wrong).isEmpty();
    }
}
