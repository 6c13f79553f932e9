package dev.jwarp.tools.conform;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The stack in a class loader of its own, with one class changed; the tester, which knows nothing of the stack, stays outside. */
final class MutantStack {
    private final BiFunction<TestCase, Patience, Result> examined;
    private final ClassLoader loader;

    private MutantStack(Map<String, byte[]> changed) throws ReflectiveOperationException {
        loader = new Loader(changed);
        @SuppressWarnings("unchecked")
        BiFunction<TestCase, Patience, Result> made = (BiFunction<TestCase, Patience, Result>)
                loader.loadClass(ExaminedStack.class.getName()).getConstructor().newInstance();
        examined = made;
    }

    /** The stack as it is. */
    static MutantStack unchanged() throws ReflectiveOperationException {
        return new MutantStack(Map.of());
    }

    static MutantStack of(Mutant mutant) throws ReflectiveOperationException, IOException {
        return new MutantStack(compiled(mutant));
    }

    Result run(TestCase test, Patience patience) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return examined.apply(test, patience);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Map<String, byte[]> compiled(Mutant mutant) throws IOException {
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
                            List.of(new Source(mutant)))
                    .call();
            if (!good) {
                throw new IllegalStateException(mutant.title() + ": does not compile\n" + words);
            }
        }
        Map<String, byte[]> classes = new HashMap<>();
        out.forEach((name, octets) -> classes.put(name, octets.toByteArray()));
        return classes;
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

    /** Loads jwarp anew, but for the tester. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> changed;

        Loader(Map<String, byte[]> changed) {
            super(MutantStack.class.getClassLoader());
            this.changed = changed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.jwarp.") || name.startsWith("dev.jwarp.conformance.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] octets = changed.get(name);
            if (octets == null) {
                try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    octets = in.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return defineClass(name, octets, 0, octets.length);
        }
    }
}
