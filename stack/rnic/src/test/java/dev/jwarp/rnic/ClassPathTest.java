package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaException;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("On a class path")
class ClassPathTest {
    /** Versions and parts of Netty on a class path. */
    enum Netty {
        NONE,
        /** As 4.1: without the IoHandler classes of 4.2. */
        OLD
    }

    /** A program that uses the stack in its own class loader. */
    public static final class Program {
        private Program() {}

        /** Carries a message over a connection, inline. */
        public static String connection() {
            try (World world = World.of(World.Kind.INLINE)) {
                Connected pair = Connected.in(world);
                pair.passive.receive(1, 0, 8);
                pair.active.write(0, "straight").send(2, 0, 8);
                pair.active.success();
                pair.passive.success();
                return pair.passive.read(0, 8);
            }
        }

        /** Carries a message in datagrams, inline. */
        public static String datagram() {
            try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE)) {
                DatagramSide one = DatagramSide.on(world, 0);
                DatagramSide other = DatagramSide.on(world, 1);
                other.receive(1, 0, 8);
                one.send(2, one.to(other), 0, 8);
                one.success();
                return other.success().byteLength() + " bytes";
            }
        }

        /** Opens the device with threaded progress. */
        public static String threaded() {
            try (Context context = new RnicProvider().rnic().open(Progress.THREADED, Map.of())) {
                return context + " works";
            } catch (RdmaException e) {
                return e.code() + ": " + e.getMessage();
            }
        }
    }

    /** The class path of the tests without some jars and classes. */
    private static final class Loader extends URLClassLoader {
        private final Predicate<String> hidden;

        Loader(Netty netty) {
            super(
                    urls(jar ->
                            netty == Netty.NONE && jar.getFileName().toString().startsWith("netty-")),
                    ClassLoader.getPlatformClassLoader());
            hidden = Pattern.compile("io\\.netty\\.channel\\.((epoll|nio)\\.)?(\\w*[a-z])?Io[A-Z].*")
                    .asMatchPredicate();
        }

        private static URL[] urls(Predicate<Path> left) {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator), -1)) {
                Path path = Path.of(entry);
                try {
                    if (!left.test(path)) {
                        urls.add(path.toUri().toURL());
                    }
                } catch (MalformedURLException e) {
                    throw new IllegalArgumentException(entry, e);
                }
            }
            return urls.toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (hidden.test(name)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }

    /**
     * One loader for each case, never unloaded: unloading would make Netty's native code drop its methods in the
     * classes of other tests, too.
     */
    private static final Map<Netty, Loader> LOADERS = new EnumMap<>(Netty.class);

    private static String told(Netty netty, String what) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Loader loader = LOADERS.computeIfAbsent(netty, Loader::new);
        try {
            Thread.currentThread().setContextClassLoader(loader);
            return (String)
                    loader.loadClass(Program.class.getName()).getMethod(what).invoke(null);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"connection", "datagram"})
    @DisplayName("without Netty, inline progress works:")
    void inlineWithoutNetty(String what) throws Exception {
        assertThat(told(Netty.NONE, what)).isEqualTo(what.equals("connection") ? "straight" : "8 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"connection", "datagram"})
    @DisplayName("with an old Netty, inline progress works:")
    void inlineWithOldNetty(String what) throws Exception {
        assertThat(told(Netty.OLD, what)).isEqualTo(what.equals("connection") ? "straight" : "8 bytes");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("without the Netty that it needs, threaded progress throws an exception that names the missing part:")
    void threaded(Netty netty) throws Exception {
        String found = netty == Netty.NONE ? "has no Netty" : "has Netty 4";
        assertThat(told(netty, "threaded"))
                .startsWith("NOT_FOUND: The transport netty needs Netty 4.2 or newer, but the class path " + found);
    }
}
