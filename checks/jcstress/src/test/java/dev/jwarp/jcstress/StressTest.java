package dev.jwarp.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Every build runs the actors of each test sequentially, on one thread. With {@code -Djcstress="OPTIONS"} jcstress runs
 * them at the same time, again and again, and is told these options; Maven has the tests run in {@code target}, where
 * its results go.
 */
@DisplayName("Objects shared by threads")
class StressTest {
    private static final String PACKAGE = "dev.jwarp.";

    @TestFactory
    @DisplayName("behave correctly in sequential use:")
    Stream<DynamicTest> oneAfterTheOther() {
        return tests(name -> {
            TestInfo test = TestList.getInfo(name);
            String result = oneAfterTheOther(test);
            assertThat(expectation(test, result)).as(result).isEqualTo(Expect.ACCEPTABLE);
        });
    }

    private static String oneAfterTheOther(TestInfo test) throws ReflectiveOperationException {
        Class<?> type = Class.forName(test.binaryName());
        Object state = type.getConstructor().newInstance();
        Object result = null;
        for (String actor : test.actorNames()) { // actors that wake others come first
            result = run(method(type, actor, Actor.class), state, result);
        }
        for (Method method : type.getMethods()) {
            if (method.isAnnotationPresent(Arbiter.class)) {
                result = run(method, state, result);
            }
        }
        return String.valueOf(result);
    }

    private static Method method(Class<?> type, String name, Class<? extends Annotation> kind) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && method.isAnnotationPresent(kind))
                .findAny()
                .orElseThrow();
    }

    /** {@return the result object among the method's parameters, created if necessary} */
    private static Object run(Method method, Object state, Object result) throws ReflectiveOperationException {
        if (method.getParameterCount() == 0) {
            method.invoke(state);
            return result;
        }
        Object mine =
                result == null ? method.getParameterTypes()[0].getConstructor().newInstance() : result;
        method.invoke(state, mine);
        return mine;
    }

    /** As in jcstress: exact outcomes first, then patterns in their order. */
    private static Expect expectation(TestInfo test, String result) {
        return Stream.concat(
                        test.cases().stream().filter(known -> known.matchesExactly(result)),
                        test.cases().stream().filter(known -> known.matches(result)))
                .findFirst()
                .orElse(test.unmatched())
                .expect();
    }

    @TestFactory
    @Timeout(value = 1, unit = TimeUnit.DAYS) // jcstress ends by its own options
    @EnabledIfSystemProperty(named = "jcstress", matches = ".+")
    @DisplayName("behave correctly in concurrent use:")
    Stream<DynamicTest> atTheSameTime() throws Exception {
        Map<String, List<TestResult>> results = stress().stream()
                .collect(Collectors.groupingBy(TestResult::getName, TreeMap::new, Collectors.toList()));
        long samples = results.values().stream()
                .flatMap(List::stream)
                .mapToLong(TestResult::getTotalCount)
                .sum();
        System.out.printf(
                "jcstress: %d tests, %d runs, %d samples, %d tests with a forbidden outcome or without any%n",
                results.size(),
                results.values().stream().mapToInt(List::size).sum(),
                samples,
                results.values().stream()
                        .filter(runs ->
                                runs.stream().anyMatch(run -> !problem(run).isEmpty()))
                        .count());
        assertThat(results).isNotEmpty();
        return results.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        shortName(entry.getKey()),
                        () -> assertThat(entry.getValue())
                                .allSatisfy(run -> assertThat(problem(run)).isEmpty())));
    }

    private static Collection<TestResult> stress() throws Exception {
        // jcstress scans each folder and jar, and fails at a missing one.
        String there = Arrays.stream(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .filter(one -> new File(one).exists())
                .collect(Collectors.joining(File.pathSeparator));
        System.setProperty("java.class.path", there);
        String told = System.getProperty("jcstress") + " -r " + Path.of("jcstress");
        Options options = new Options(told.trim().split("\\s+"));
        assertThat(options.parse()).as("jcstress accepts the options " + told).isTrue();
        try {
            new JCStress(options).run();
        } catch (AssertionError e) {
            System.out.println("jcstress: " + e.getMessage()); // each run is checked below
        }
        InProcessCollector collected = new InProcessCollector();
        DiskReadCollector read = new DiskReadCollector(options.getResultFile(), collected);
        read.dump();
        read.close();
        return collected.getTestResults();
    }

    /** {@return the failure of a run; empty if there is none} */
    private static String problem(TestResult run) {
        if (run.status() == Status.NORMAL && run.grading().isPassed) {
            return "";
        }
        return run.status() + " " + run.grading().failureMessages + " " + run.getMessages() + " of "
                + run.getTotalCount() + " samples with " + run.getConfig().jvmArgs;
    }

    private interface Judge {
        void judge(String name) throws Exception;
    }

    private static Stream<DynamicTest> tests(Judge judge) {
        return TestList.tests().stream()
                .sorted()
                .map(name -> DynamicTest.dynamicTest(shortName(name), () -> judge.judge(name)));
    }

    private static String shortName(String name) {
        return name.startsWith(PACKAGE) ? name.substring(PACKAGE.length()) : name;
    }
}
