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
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Where the code of the stack cites requirements: their ids in its comments, and the class, method or field that each stands at. */
final class Citations {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern ID = Pattern.compile("\\b(MPA2?|DDP|RDMAP|EXT|SEC|DG)-[0-9][0-9.]*(-[0-9]+)+\\b");

    /**
     * A place in the code.
     *
     * @param name the class and what of it, such as {@code FpduBatch.end}
     * @param file its path from the root of the repository
     */
    record Place(String name, String file) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return Comparator.comparing(Place::name).thenComparing(Place::file).compare(this, other);
        }
    }

    private record Member(String name, long start, long end) {}

    private Citations() {}

    /** {@return the places at which each requirement is cited, in order} */
    static Map<String, SortedSet<Place>> find() throws IOException {
        Map<String, SortedSet<Place>> places = new TreeMap<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources()));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                String text = unit.getSourceFile().getCharContent(true).toString();
                Matcher id = ID.matcher(text);
                List<Member> members = null;
                while (id.find()) {
                    members = members == null ? members(unit, positions) : members;
                    String file = ROOT.relativize(Path.of(unit.getSourceFile().toUri()))
                            .toString();
                    places.computeIfAbsent(id.group(), k -> new TreeSet<>())
                            .add(new Place(nameAt(members, id.start()), file));
                }
            }
        }
        return places;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String room : List.of("stack", "verbs-api")) {
            try (Stream<Path> all = Files.walk(ROOT.resolve(room))) {
                all.filter(p -> p.toString().endsWith(".java") && p.toString().contains("/src/main/"))
                        .forEach(sources::add);
            }
        }
        return sources;
    }

    private static List<Member> members(CompilationUnitTree unit, SourcePositions positions) {
        List<Member> members = new ArrayList<>();
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
                // Members that the parser made up have no place.
                if (end >= 0) {
                    members.add(new Member(name, positions.getStartPosition(unit, tree), end));
                }
            }
        }.scan(unit, "");
        return members;
    }

    /** The innermost member around a place; for a comment between two members the one behind it. */
    private static String nameAt(List<Member> members, long at) {
        Member around = members.stream()
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
