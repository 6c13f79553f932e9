package dev.jwarp.architecture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The proofs that the stack keeps a requirement: tests with the requirement's id as their {@code @Tag}, vectors with
 * the id in their field {@code requirements}, and packet scripts with a comment line {@code # keeps} and ids.
 */
final class Proofs {
    private static final Path VECTORS = Source.TOP.resolve("test-vectors/src/main/resources/dev/jwarp");
    private static final Pattern KEEPS = Pattern.compile("(?m)^# keeps (.*)$");

    private final Map<String, SortedSet<Place>> tests = new TreeMap<>();
    private final Map<String, SortedSet<String>> data = new TreeMap<>();
    private final SortedSet<String> misplaced = new TreeSet<>();

    /** Reads tests, vectors and scripts. */
    static Proofs find() throws IOException {
        Proofs proofs = new Proofs();
        for (Source source : Source.all("/src/test/", "stack", "verbs-api")) {
            proofs.add(source);
        }
        proofs.addVectors("vectors.json");
        proofs.addVectors("datagram.json");
        proofs.addVectors("envelope.json");
        proofs.addScripts();
        return proofs;
    }

    /** The ids with a proof. */
    SortedSet<String> ids() {
        SortedSet<String> ids = new TreeSet<>(tests.keySet());
        ids.addAll(data.keySet());
        return ids;
    }

    /** Whether a requirement has a proof. */
    boolean show(String id) {
        return tests.containsKey(id) || data.containsKey(id);
    }

    /** The tests that prove a requirement. */
    SortedSet<Place> tests(String id) {
        return tests.getOrDefault(id, new TreeSet<>());
    }

    /** The vectors and scripts that prove a requirement, each with its kind. */
    SortedSet<String> data(String id) {
        return data.getOrDefault(id, new TreeSet<>());
    }

    /** Tags that do not belong to a test. */
    SortedSet<String> misplaced() {
        return misplaced;
    }

    private void add(Source source) {
        new TreeScanner<Void, String>() {
            @Override
            public Void visitClass(ClassTree tree, String outer) {
                String name = tree.getSimpleName().toString();
                note(tree.getModifiers().getAnnotations(), name, true);
                return super.visitClass(tree, name);
            }

            @Override
            public Void visitMethod(MethodTree tree, String type) {
                List<? extends AnnotationTree> annotations = tree.getModifiers().getAnnotations();
                boolean test = annotations.stream().anyMatch(a -> NamedTests.isTest(name(a)));
                note(annotations, type + "#" + tree.getName(), test);
                return super.visitMethod(tree, type);
            }

            private void note(List<? extends AnnotationTree> annotations, String name, boolean test) {
                for (AnnotationTree annotation : annotations) {
                    // A test of JUnit, or a property of jqwik.
                    if (name(annotation).matches("(net\\.jqwik\\.api\\.)?Tag")
                            && annotation.getArguments().get(0) instanceof LiteralTree tag) {
                        long at = source.start(tag);
                        tests.computeIfAbsent(tag.getValue().toString(), k -> new TreeSet<>())
                                .add(source.place(name, at));
                        if (!test) {
                            misplaced.add(name);
                        }
                    }
                }
            }
        }.scan(source.tree(), "");
    }

    private static String name(AnnotationTree annotation) {
        return annotation.getAnnotationType().toString();
    }

    private void addVectors(String file) throws IOException {
        JsonNode vectors = new ObjectMapper()
                .readTree(VECTORS.resolve("vectors").resolve(file).toFile())
                .path("vectors");
        for (JsonNode vector : vectors) {
            for (JsonNode id : vector.path("requirements")) {
                add(id.asText(), "vector " + vector.path("id").asText());
            }
        }
    }

    private void addScripts() throws IOException {
        Path folder = VECTORS.resolve("scripts");
        try (Stream<Path> scripts = Files.walk(folder)) {
            for (Path script :
                    scripts.filter(p -> p.toString().endsWith(".pkt")).toList()) {
                Matcher keeps = KEEPS.matcher(Files.readString(script));
                while (keeps.find()) {
                    for (String id : keeps.group(1).split(" ", -1)) {
                        add(id, "script " + folder.relativize(script).toString().replace(".pkt", ""));
                    }
                }
            }
        }
    }

    private void add(String id, String what) {
        data.computeIfAbsent(id, k -> new TreeSet<>()).add(what);
    }
}
