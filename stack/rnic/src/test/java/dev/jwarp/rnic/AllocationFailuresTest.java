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

/**
 * Fails the first hundred allocations of a scenario; {@code -Djwarp.leaks=N} sets another number, as {@code .ci/run}
 * does.
 */
@DisplayName("An allocation that fails")
class AllocationFailuresTest {
    private static final int MOST = Integer.getInteger("jwarp.leaks", 100);

    /** Calls the only method of that name, in classes whose allocations fail. */
    private static Object call(Class<?> scenario, String method, Object... arguments)
            throws ReflectiveOperationException {
        FailingClasses classes = new FailingClasses();
        Method called = Stream.of(classes.loadClass(scenario.getName()).getMethods())
                .filter(one -> one.getName().equals(method))
                .findAny()
                .orElseThrow();
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(classes); // for ServiceLoader
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
    @CsvSource({"UD, INLINE, 0", "RD, THREADED, 0", "RC, INLINE, 1000", "RC, THREADED, 300"}) // 1000: all allocations
    @DisplayName("leaks nothing, at any point in the life of a queue pair")
    void leavesNothing(String scenario, String progress, int most) throws ReflectiveOperationException {
        List<?> wrong =
                (List<?>) call(LeakScenarios.class, "run", scenario, progress, Math.max(MOST, Whole.or(0, most)));
        assertThat(wrong).hasSize(1);
    }

    @Test
    @DisplayName("during the growth of the ranks of a limited resource changes nothing")
    void ranks() throws ReflectiveOperationException {
        assertThat(call(RankScenario.class, "run"))
                .as("counts of all, of the source, and of the sources")
                .isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName(
            "during the event for the limit of a shared receive queue loses no receive, and the event comes later, once")
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
    @DisplayName("during the opening of a context leaks no thread and no descriptor")
    void opening(String progress) throws Exception {
        call(LeakScenarios.class, "open", progress, MOST); // whatever the JVM opens once
        long descriptors = descriptors();
        long threads = threads();
        assertThat((int) call(LeakScenarios.class, "open", progress, MOST)).isGreaterThan(50);
        Awaitility.await().until(() -> threads() <= threads && descriptors() < descriptors + 10);
    }
}
