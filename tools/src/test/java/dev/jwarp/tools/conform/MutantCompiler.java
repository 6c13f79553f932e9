package dev.jwarp.tools.conform;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the classes that mutants change, those of many mutants in one run of the compiler: to start one takes longest. */
final class MutantCompiler {
    private MutantCompiler() {}

    /** {@return the classes of each mutant by name, nested ones included} */
    static Map<Mutant, Map<String, byte[]>> compile(List<Mutant> mutants) throws IOException {
        // A run has one mutant of a class at most, and none changes a constant or a signature.
        List<Map<String, Mutant>> runs = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        for (Mutant mutant : mutants) {
            for (Mutant.Change change : mutant.changes()) {
                if ((change.before() + change.after()).contains("static final")) {
                    throw new IllegalStateException(
                            mutant.title() + ": it changes a constant, which other classes are compiled with");
                }
            }
            int run = seen.merge(mutant.type(), 1, Integer::sum) - 1;
            if (run == runs.size()) {
                runs.add(new LinkedHashMap<>());
            }
            runs.get(run).put(mutant.type(), mutant);
        }
        Map<Mutant, Map<String, byte[]>> classes = new HashMap<>();
        for (Map<String, Mutant> run : runs) {
            compileOne(run).forEach((name, octets) -> {
                int nested = name.indexOf('$');
                Mutant mutant = Objects.requireNonNull(run.get(nested < 0 ? name : name.substring(0, nested)), name);
                classes.computeIfAbsent(mutant, m -> new HashMap<>()).put(name, octets.toByteArray());
            });
        }
        return classes;
    }

    private static Map<String, ByteArrayOutputStream> compileOne(Map<String, Mutant> mutants) throws IOException {
        List<Source> sources = new ArrayList<>();
        for (Mutant mutant : mutants.values()) {
            sources.add(new Source(mutant));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, ByteArrayOutputStream> out = new HashMap<>();
        StringWriter words = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean good = compiler.getTask(
                            words,
                            new Kept(files, out),
                            null,
                            List.of(
                                    "-classpath",
                                    System.getProperty("java.class.path"),
                                    "-proc:none",
                                    "-implicit:none",
                                    "-nowarn",
                                    "-Xlint:none"),
                            null,
                            sources)
                    .call();
            if (!good) {
                List<String> titles =
                        mutants.values().stream().map(Mutant::title).toList();
                throw new IllegalStateException("One of these does not compile: " + titles + "\n" + words);
            }
        }
        return out;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(Mutant mutant) throws IOException {
            super(URI.create("string:///" + mutant.type().replace('.', '/') + ".java"), Kind.SOURCE);
            text = mutant.source();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps what the compiler makes in memory. */
    private static final class Kept extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> out;

        Kept(JavaFileManager files, Map<String, ByteArrayOutputStream> out) {
            super(files);
            this.out = out;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream octets = new ByteArrayOutputStream();
                    out.put(name, octets);
                    return octets;
                }
            };
        }
    }
}
