package dev.jwarp.tools.conform;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

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

    /** The stack with those classes changed, by {@link MutantCompiler}. */
    static MutantStack with(Map<String, byte[]> changed) throws ReflectiveOperationException {
        return new MutantStack(changed);
    }

    /** The stack with the fault of this title. */
    static MutantStack of(String title) throws IOException, ReflectiveOperationException {
        Mutant mutant = Mutant.all().stream()
                .filter(m -> m.title().equals(title))
                .findFirst()
                .orElseThrow();
        return with(MutantCompiler.compile(List.of(mutant)).get(mutant));
    }

    /** A conformance target above it, until it is closed. */
    Listening listening() throws ReflectiveOperationException {
        return inside(ListeningStack.class, target -> {
            InetSocketAddress at = (InetSocketAddress) ((Supplier<?>) target).get();
            return new Listening("127.0.0.1:" + at.getPort(), (AutoCloseable) target);
        });
    }

    /** A target that listens. */
    record Listening(String address, AutoCloseable target) implements AutoCloseable {
        @Override
        public void close() throws Exception {
            target.close();
        }
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

    /** What {@link ReproducedStack} makes of a case, or of a script. */
    @SuppressWarnings("unchecked")
    List<Object> reproduced(Object what, Patience patience) throws ReflectiveOperationException {
        return inside(
                ReproducedStack.class,
                made -> ((BiFunction<Object, Patience, List<Object>>) made).apply(what, patience));
    }

    /** Runs these cases, those of each role on one device. */
    @SuppressWarnings("unchecked")
    List<Result> run(List<TestCase> cases, Patience patience) throws ReflectiveOperationException {
        return inside(
                ExaminedWhole.class,
                made -> ((BiFunction<List<TestCase>, Patience, List<Result>>) made).apply(cases, patience));
    }

    /** Does something with an object of a class that is loaded with the stack. */
    private <T> T inside(Class<?> type, Function<Object, T> use) throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return use.apply(loader.loadClass(type.getName()).getConstructor().newInstance());
        } finally {
            thread.setContextClassLoader(before);
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
