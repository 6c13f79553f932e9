package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All tries of a scenario take long for a build: as many as matter are the default, {@code -Djwarp.leaks=N} is more. */
@DisplayName("An allocation that fails")
class AllocationFailuresTest {
    private static final int MOST = Integer.getInteger("jwarp.leaks", 100_000);

    private static Object call(String method, String kind, String progress) throws ReflectiveOperationException {
        FailingClasses classes = new FailingClasses();
        Class<?> scenarios = classes.loadClass(LeakScenarios.class.getName());
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(classes); // where services are looked for
        try {
            return scenarios
                    .getMethod(method, String.class, String.class, int.class)
                    .invoke(null, kind, progress, MOST);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    @ParameterizedTest
    @CsvSource({"RC, INLINE", "RC, THREADED", "UD, INLINE", "UD, THREADED", "RD, INLINE", "RD, THREADED"})
    @DisplayName("leaves nothing behind, wherever it is in the life of a connection or a queue pair")
    void leavesNothing(String scenario, String progress) throws ReflectiveOperationException {
        List<?> wrong = (List<?>) call("run", scenario, progress);
        System.out.println(scenario + " " + progress + ": " + wrong.get(wrong.size() - 1));
        assertThat(wrong).hasSize(1);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("jwarp-tcp")
                        || thread.getName().startsWith("jwarp-udp"))
                .count();
    }

    @ParameterizedTest
    @CsvSource({"RC, INLINE", "RC, THREADED", "UD, INLINE", "UD, THREADED"})
    @DisplayName("leaves no thread and no descriptor behind when it keeps a context from being opened")
    void opening(String device, String progress) throws Exception {
        call("open", device, progress); // whatever the JVM opens once
        long descriptors = descriptors();
        long threads = threads();
        assertThat((int) call("open", device, progress)).isGreaterThan(50);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> threads() <= threads);
        assertThat(descriptors()).as("descriptors").isLessThan(descriptors + 10);
    }
}
