package dev.jwarp.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A source file as javac reads it: its text, its tree, and its members. */
final class Source {
    /** Folders of the repository whose folders are modules. */
    private static final List<String> MODULES_WITHIN = List.of("stack", "adapters", "checks");

    /** The top folder of the repository. */
    static final Path TOP = Path.of("../..").toAbsolutePath().normalize();

    /** Sources that this JVM has read: most tests read the same files. */
    private static final Map<Path, Source> READ = new HashMap<>();

    private record Member(String name, long start, long end) {}

    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final String text;
    private List<Member> members;

    private Source(CompilationUnitTree unit, SourcePositions positions) throws IOException {
        this.unit = unit;
        this.positions = positions;
        text = unit.getSourceFile().getCharContent(true).toString();
    }

    /** {@return the folders of the Maven modules of the repository} */
    static String[] folders() throws IOException {
        try (Stream<Path> all = Files.list(TOP)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> MODULES_WITHIN.contains(name)
                            || Files.exists(TOP.resolve(name).resolve("pom.xml")))
                    .toArray(String[]::new);
        }
    }

    /** Reads the files of some folders of the repository whose path contains {@code part}. */
    static List<Source> all(String part, String... folders) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> files = Files.walk(TOP.resolve(folder))) {
                files.filter(p -> p.toString().endsWith(".java") && p.toString().contains(part))
                        .forEach(paths::add);
            }
        }
        read(paths.stream().filter(path -> !READ.containsKey(path)).toList());
        return paths.stream().map(READ::get).toList();
    }

    private static void read(List<Path> paths) throws IOException {
        if (paths.isEmpty()) {
            return;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(paths));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                READ.put(Path.of(unit.getSourceFile().toUri()), new Source(unit, positions));
            }
        }
    }

    String text() {
        return text;
    }

    CompilationUnitTree tree() {
        return unit;
    }

    long start(Tree tree) {
        return positions.getStartPosition(unit, tree);
    }

    Place place(String name, long at) {
        return new Place(
                name,
                TOP.relativize(Path.of(unit.getSourceFile().toUri())).toString(),
                unit.getLineMap().getLineNumber(at));
    }

    private List<Member> members() {
        if (members != null) {
            return members;
        }
        members = new ArrayList<>();
        new TreeScanner<Void, String>() {
            @Override
            public Void visitClass(ClassTree tree, String outer) {
                String name = tree.getSimpleName().toString();
                note(tree, name);
                for (Tree member : tree.getMembers()) {
                    if (member instanceof MethodTree method) {
                        note(method, method.getName().contentEquals("<init>") ? name : name + "." + method.getName());
                    } else if (member instanceof VariableTree field) {
                        note(field, name + "." + field.getName());
                    } else {
                        scan(member, name);
                    }
                }
                return null;
            }

            private void note(Tree tree, String name) {
                long end = positions.getEndPosition(unit, tree);
                // Members that the parser adds have no position.
                if (end >= 0) {
                    members.add(new Member(name, positions.getStartPosition(unit, tree), end));
                }
            }
        }.scan(unit, "");
        return members;
    }

    /** The innermost member around a position; for a comment between two members the second one. */
    String memberAt(long at) {
        Member around = members().stream()
                .filter(m -> m.start() <= at && at < m.end())
                .min(Comparator.comparingLong(m -> m.end() - m.start()))
                .orElse(null);
        Member behind = members.stream()
                .filter(m -> m.start() > at)
                .min(Comparator.comparingLong(Member::start))
                .orElse(null);
        boolean between =
                around == null || members.stream().anyMatch(m -> m.start() > around.start() && m.end() <= around.end());
        if (between && behind != null && (around == null || behind.end() <= around.end())) {
            return behind.name();
        }
        return around == null ? "?" : around.name();
    }
}
