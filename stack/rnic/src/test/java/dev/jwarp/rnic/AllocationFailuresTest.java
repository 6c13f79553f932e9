package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Progress;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The first hundred allocations of a scenario, and in {@code .ci/run} as many as it says; {@code -Djwarp.leaks=N} tries more. */
@DisplayName("An allocation that fails")
class AllocationFailuresTest {
    private static final int MOST = Integer.getInteger("jwarp.leaks", 100);

    /** Calls the only method of that name, among classes whose allocations fail. */
    private static Object call(Class<?> scenario, String method, Object... arguments)
            throws ReflectiveOperationException {
        FailingClasses classes = new FailingClasses();
        Method called = Stream.of(classes.loadClass(scenario.getName()).getMethods())
                .filter(one -> one.getName().equals(method))
                .findAny()
                .orElseThrow();
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(classes); // where services are looked for
        try {
            return called.invoke(null, arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    @ParameterizedTest
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @CsvSource({"UD, INLINE, 0", "RD, THREADED, 0", "RC, INLINE, 1000", "RC, THREADED, 300"}) // 1000: all there are
    @DisplayName("leaves nothing behind, wherever it is in the life of a queue pair")
    void leavesNothing(String scenario, String progress, int most) throws ReflectiveOperationException {
        List<?> wrong =
                (List<?>) call(LeakScenarios.class, "run", scenario, progress, Math.max(MOST, Whole.or(0, most)));
        assertThat(wrong).hasSize(1);
    }

    @Test
    @DisplayName("while the ranks of a limited resource grow changes nothing")
    void ranks() throws ReflectiveOperationException {
        assertThat(call(RankScenario.class, "run"))
                .as("those of all, of the source, and of the sources")
                .isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName(
            "where the limit of a shared receive queue is to be told of loses no receive, and it is told of once, later")
    void limit(Progress progress) throws ReflectiveOperationException {
        assertThat((int) call(LimitScenario.class, "run", progress.name()))
                .as("at least the sentence and the event")
                .isGreaterThan(1);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("jwarp-io"))
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"INLINE", "THREADED"})
    @DisplayName("leaves no thread and no descriptor behind when it keeps a context from being opened")
    void opening(String progress) throws Exception {
        call(LeakScenarios.class, "open", progress, MOST); // whatever the JVM opens once
        long descriptors = descriptors();
        long threads = threads();
        assertThat((int) call(LeakScenarios.class, "open", progress, MOST)).isGreaterThan(50);
        Awaitility.await().until(() -> threads() <= threads && descriptors() < descriptors + 10);
    }
}
