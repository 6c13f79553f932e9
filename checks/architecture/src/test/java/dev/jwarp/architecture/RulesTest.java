package dev.jwarp.architecture;

import static dev.jwarp.architecture.Rules.CLOCKS_ARE_NOT_USED_OUTSIDE_DRIVERS;
import static dev.jwarp.architecture.Rules.EVERY_CLASS_HAS_A_MODULE;
import static dev.jwarp.architecture.Rules.FUTURES_ONLY_IN_THEIR_LAYER;
import static dev.jwarp.architecture.Rules.METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS;
import static dev.jwarp.architecture.Rules.NETTY_STAYS_IN_ITS_DRIVERS;
import static dev.jwarp.architecture.Rules.SOCKETS_ONLY_IN_DRIVERS;
import static dev.jwarp.architecture.Rules.THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE;
import static dev.jwarp.architecture.Rules.THREADS_ONLY_IN_DRIVERS;
import static dev.jwarp.architecture.Rules.TIME_IS_NOT_READ_OUTSIDE_DRIVERS;
import static dev.jwarp.architecture.Rules.WAITING_ONLY_IN_DRIVERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules themselves: each fails on forbidden code, and passes on the most similar allowed code. */
@DisplayName("A rule for the code")
class RulesTest {
    private static final LimitsPage NOTHING = LimitsPage.of(List.of());

    private static final ArchRule IS_LIMITED = Bounds.areOn(NOTHING);

    private static JavaClasses samples;

    @BeforeAll
    static void compileSamples(@TempDir Path folder) throws IOException {
        Stream<Sample> ofArguments = Stream.concat(forbidden(), allowed())
                .map(Arguments::get)
                .map(of -> new Sample((String) of[0], (String) of[1]));
        Sample.compile(
                Stream.concat(ofArguments, Arrays.stream(JwarpModule.values()).map(RulesTest::usingAllModules))
                        .distinct()
                        .toList(),
                folder);
        samples = new ClassFileImporter().importPath(folder);
    }

    private static Sample usingAllModules(JwarpModule from) {
        return new Sample(
                from.basePackage,
                Arrays.stream(JwarpModule.values())
                        .map(to -> to.basePackage + ".Other.x")
                        .collect(Collectors.joining(" + ", "int y = ", ";")));
    }

    @ParameterizedTest(name = "{0} with: {1}")
    @MethodSource("forbidden")
    @DisplayName("rejects")
    void goesRed(String packageName, String member, ArchRule rule) {
        assertThat(isBroken(rule, packageName, member)).isTrue();
    }

    static Stream<Arguments> forbidden() {
        return Stream.of(
                arguments("dev.jwarp.attic", "", EVERY_CLASS_HAS_A_MODULE),
                arguments("dev.jwarp.mpa", "io.netty.buffer.ByteBuf b;", NETTY_STAYS_IN_ITS_DRIVERS),
                arguments("dev.jwarp.mpa", "io.netty.buffer.ByteBuf b;", Rules.dependenciesOf(JwarpModule.MPA)),
                arguments("dev.jwarp.transport.tcp", "io.netty.channel.Channel[] c;", NETTY_STAYS_IN_ITS_DRIVERS),
                arguments("dev.jwarp.transport.udp", "io.netty.channel.Channel[] c;", NETTY_STAYS_IN_ITS_DRIVERS),
                arguments("dev.jwarp.transport.udp", "java.net.DatagramSocket s;", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.transport.tcp.net", "io.netty.channel.Channel c;", NETTY_STAYS_IN_ITS_DRIVERS),
                arguments("dev.jwarp.tools", "io.netty.channel.Channel c;", NETTY_STAYS_IN_ITS_DRIVERS),
                arguments("dev.jwarp.verbs", "org.slf4j.Logger l;", Rules.dependenciesOf(JwarpModule.VERBS_API)),
                arguments(
                        "dev.jwarp.mpa", "org.assertj.core.api.Assertions[] a;", Rules.dependenciesOf(JwarpModule.MPA)),
                arguments("dev.jwarp.mpa", "java.net.Socket s;", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic", "java.net.ServerSocket s;", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.transport.tcp", "java.net.DatagramSocket[] s;", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.sim", "void x(java.nio.channels.SocketChannel c) {}", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic", "Thread t;", THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rdmap", "void x() { Thread.onSpinWait(); }", THREADS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "Object x = java.util.concurrent.Executors.newCachedThreadPool();",
                        THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic", "java.util.concurrent.locks.ReentrantLock l;", THREADS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "void x() { java.util.concurrent.locks.LockSupport.park(); }",
                        THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic", "java.util.concurrent.CountDownLatch l;", THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.verbs.async", "java.util.concurrent.CountDownLatch l;", THREADS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.verbs", "java.util.concurrent.CompletableFuture<?> f;", FUTURES_ONLY_IN_THEIR_LAYER),
                arguments("dev.jwarp.rnic", "java.util.concurrent.BlockingQueue<?> q;", THREADS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "synchronized void x() throws InterruptedException { wait(1); }",
                        WAITING_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "void x() throws InterruptedException { java.util.concurrent.TimeUnit.DAYS.sleep(1); }",
                        WAITING_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.mpa", "long t = System.nanoTime();", TIME_IS_NOT_READ_OUTSIDE_DRIVERS),
                arguments(
                        "dev.jwarp.rdmap",
                        "Runnable r = () -> System.currentTimeMillis();",
                        TIME_IS_NOT_READ_OUTSIDE_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "java.util.function.LongSupplier clock = System::nanoTime;",
                        TIME_IS_NOT_READ_OUTSIDE_DRIVERS),
                arguments("dev.jwarp.ddp", "Object t = java.time.Instant.now();", TIME_IS_NOT_READ_OUTSIDE_DRIVERS),
                arguments("dev.jwarp.rnic", "java.time.Clock c;", CLOCKS_ARE_NOT_USED_OUTSIDE_DRIVERS),
                arguments("dev.jwarp.rnic", "Object d = new java.util.Date();", CLOCKS_ARE_NOT_USED_OUTSIDE_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "String s = String.format(\"%d\", 1);",
                        THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE),
                arguments(
                        "dev.jwarp.ddp", "String s = \"I\".toLowerCase();", THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE),
                arguments(
                        "dev.jwarp.transport.udp",
                        "static void x(int a, long b, Object c, int d, int e, int f, int g) {}",
                        METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS),
                arguments(
                        "dev.jwarp.transport.udp",
                        "OWN_NAME(int a, long b, Object c, int d, int e, int f, int g) {}",
                        METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS),
                arguments(
                        "dev.jwarp.sockets.connection", // incomplete requests
                        "void x(dev.jwarp.verbs.CmId id) { id.listen(0); }",
                        IS_LIMITED),
                arguments("dev.jwarp.sockets.connection", "private static final int MOST_ENTRIES = 1;", IS_LIMITED),
                arguments(
                        "dev.jwarp.tools", // places of cp, sessions of a proxy
                        "void x(java.nio.channels.ServerSocketChannel c) throws Exception { c.accept(); }",
                        IS_LIMITED),
                arguments("dev.jwarp.tools", "private static final int AT_A_TIME = 16;", IS_LIMITED),
                arguments(
                        "dev.jwarp.tools",
                        "java.util.function.IntFunction<?> q = java.util.concurrent.ArrayBlockingQueue::new;",
                        IS_LIMITED),
                arguments("dev.jwarp.rnic", "Object x = new dev.jwarp.base.Shares(null, 1, null);", IS_LIMITED),
                arguments("dev.jwarp.rnic", "Object x = new org.jctools.queues.MpscArrayQueue<>(2);", IS_LIMITED),
                arguments("dev.jwarp.tools", "Object x = new java.util.concurrent.Semaphore(1);", IS_LIMITED));
    }

    @ParameterizedTest(name = "{0} with: {1}")
    @MethodSource("allowed")
    @DisplayName("accepts")
    void staysGreen(String packageName, String member, ArchRule rule) {
        assertThat(isBroken(rule, packageName, member)).isFalse();
    }

    static Stream<Arguments> allowed() {
        return Stream.of(
                arguments("dev.jwarp.mpa", "", EVERY_CLASS_HAS_A_MODULE),
                arguments("dev.jwarp.transport.tcp.netty", "io.netty.channel.Channel c;", NETTY_STAYS_IN_ITS_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "org.slf4j.Logger l; int[] a; String[][] s;",
                        Rules.dependenciesOf(JwarpModule.RNIC)),
                arguments(
                        "dev.jwarp.mpa",
                        "@org.jspecify.annotations.Nullable String s;",
                        Rules.dependenciesOf(JwarpModule.MPA)),
                arguments(
                        "dev.jwarp.llp",
                        "java.net.InetSocketAddress a; java.net.InetAddress b; java.net.SocketAddress c;",
                        SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.mpa", "java.nio.ByteBuffer b;", SOCKETS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.sockets.stream",
                        "java.net.SocketException a; java.nio.channels.ClosedChannelException b;",
                        SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.io", "java.nio.channels.Selector s; Thread t;", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.transport.tcp.net", "java.nio.channels.Selector s;", SOCKETS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic", "ThreadLocal<?> t; Runnable r;", THREADS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.verbs.async",
                        "java.util.concurrent.CompletableFuture<?> f;",
                        FUTURES_ONLY_IN_THEIR_LAYER),
                arguments(
                        "dev.jwarp.rnic",
                        "java.util.concurrent.atomic.AtomicLong a; java.util.concurrent.ConcurrentHashMap<?, ?> m;",
                        THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic", "java.lang.invoke.VarHandle v;", THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic.progress", "Thread t;", THREADS_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "interface Wr { void wait(int events); } synchronized void x(Wr w) { w.wait(1); notify(); }",
                        WAITING_ONLY_IN_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "long x = java.util.concurrent.TimeUnit.SECONDS.toNanos(1);",
                        WAITING_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.rnic.progress", "long t = System.nanoTime();", TIME_IS_NOT_READ_OUTSIDE_DRIVERS),
                arguments("dev.jwarp.torture", "Thread t;", THREADS_ONLY_IN_DRIVERS),
                arguments("dev.jwarp.tools", "Object t = java.time.Instant.now();", TIME_IS_NOT_READ_OUTSIDE_DRIVERS),
                arguments(
                        "dev.jwarp.mpa",
                        "Object d = java.time.Duration.ofSeconds(1);",
                        CLOCKS_ARE_NOT_USED_OUTSIDE_DRIVERS),
                arguments(
                        "dev.jwarp.rnic",
                        "String s = String.format(java.util.Locale.ROOT, \"%d\", 1).concat(\"%d\");",
                        THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE),
                arguments(
                        "dev.jwarp.tools",
                        "String s = String.format(\"%d\", 1);",
                        THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE),
                arguments(
                        "dev.jwarp.transport.udp",
                        "void x(int a, long b, Object c, int d, int e, int f) {}",
                        METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS),
                arguments(
                        "dev.jwarp.transport.udp",
                        "OWN_NAME(int a, long b, Object c, int d, int e, int f) {}",
                        METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS),
                arguments("dev.jwarp.conformance", "Object x = new java.util.concurrent.Semaphore(1);", IS_LIMITED),
                arguments(
                        "dev.jwarp.tools",
                        "static final int LEAST = 1; int MOST; void x(java.net.ServerSocket s) throws Exception { s.close(); }",
                        IS_LIMITED));
    }

    @Test
    @DisplayName("accepts a limit that has a row, with its share or with a reason why it needs none")
    void staysGreenOnRows() throws IOException {
        JavaClasses semaphore =
                new Sample("dev.jwarp.tools", "Object x = new java.util.concurrent.Semaphore(1);").in(samples);
        String name = semaphore.iterator().next().getSimpleName();
        for (String row : List.of("| limit |", "| no limit |")) {
            boolean isLimit = row.equals("| limit |");
            LimitsPage page = LimitsPage.of(List.of(
                    row,
                    "|---|",
                    isLimit ? "| x | 1 | | fixed (`" + name + "`) | x | x | x | x |" : "| `" + name + "` | x |"));
            assertThat(Bounds.areOn(page).evaluate(semaphore).hasViolation()).isFalse();
        }
    }

    @Test
    @DisplayName("rejects packages, and many classes, that depend on each other in a cycle")
    void goesRedOnCycles() {
        JavaClasses times = new ClassFileImporter().importPackages("java.time");
        assertThat(Cycles.PACKAGES_FORM_NONE.evaluate(times).getFailureReport().toString())
                .contains("packages form one cycle: [java.time, java.time.chrono,");
        assertThat(Cycles.FEW_CLASSES_FORM_ONE.evaluate(times).hasViolation()).isTrue();
    }

    @Test
    @DisplayName("accepts one package, and few classes, that depend on each other")
    void staysGreenOnFew() {
        JavaClasses patterns = new ClassFileImporter().importPackages("java.util.regex");
        assertThat(Cycles.PACKAGES_FORM_NONE.evaluate(patterns).hasViolation()).isFalse();
        assertThat(Cycles.FEW_CLASSES_FORM_ONE.evaluate(patterns).hasViolation())
                .isFalse();
    }

    /** An interface with a default method that a delegator has to override, and one that it need not. */
    interface Told {
        void tell();

        default int weight() {
            return 1;
        }

        default void tellTwice() {
            tell();
            tell();
        }
    }

    record Forgetful(Told behind) implements Told {
        @Override
        public void tell() {
            behind.tell();
        }
    }

    record Whole(Told behind) implements Told {
        @Override
        public void tell() {
            behind.tell();
        }

        @Override
        public int weight() {
            return behind.weight();
        }
    }

    /** Has another object of the interface, but does not delegate to it. */
    record Holder(Told other) implements Told {
        @Override
        public void tell() {}
    }

    @Test
    @DisplayName("rejects a delegator that leaves a default method, and accepts one that leaves none")
    void goesRedOnForgetfulDelegators() {
        JavaClasses red = new ClassFileImporter().importClasses(Told.class, Forgetful.class);
        assertThat(Delegators.OVERRIDE_DEFAULT_METHODS
                        .evaluate(red)
                        .getFailureReport()
                        .getDetails())
                .singleElement()
                .asString()
                .contains("Forgetful leaves", "Told.weight() as it is");
        JavaClasses green = new ClassFileImporter().importClasses(Told.class, Whole.class, Holder.class);
        assertThat(Delegators.OVERRIDE_DEFAULT_METHODS.evaluate(green).hasViolation())
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("rejects every dependency that is not drawn, from")
    void rejectsOtherDependencies(JwarpModule from) {
        String red = Rules.dependenciesOf(from)
                .evaluate(usingAllModules(from).in(samples))
                .getFailureReport()
                .toString();
        assertThat(JwarpModule.values())
                .allSatisfy(to -> assertThat(red.contains(to.basePackage + ".Other.x"))
                        .as("%s using %s is forbidden", from, to)
                        .isEqualTo(!from.mayUse(to)));
    }

    private boolean isBroken(ArchRule rule, String packageName, String member) {
        return rule.allowEmptyShould(true)
                .evaluate(new Sample(packageName, member).in(samples))
                .hasViolation();
    }
}
