package dev.jwarp.vectors;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes again and again in one JVM: {@code .ci/again} finds those that fail by chance. */
public final class Again {
    private final Launcher launcher = LauncherFactory.create();
    private final Map<String, int[]> runsAndFailures = new LinkedHashMap<>();

    private Again() {}

    /**
     * Exit status 0 if all passed, else 1.
     *
     * @param arguments how often each class runs at most; after how many seconds no other one begins; the names of the classes
     */
    public static void main(String[] arguments) {
        List<String> all = Arrays.asList(arguments);
        boolean passed =
                new Again().run(Integer.parseInt(all.get(0)), Long.parseLong(all.get(1)), all.subList(2, all.size()));
        System.exit(passed ? 0 : 1); // what a failed test left behind does not keep the JVM
    }

    /** {@return whether all passed} */
    private boolean run(int times, long seconds, List<String> classes) {
        long begun = System.nanoTime();
        for (int round = 1; round <= times; round++) {
            for (String name : classes) {
                if ((System.nanoTime() - begun) / 1_000_000_000L < seconds) {
                    run(name, round);
                }
            }
        }
        runsAndFailures.forEach((name, counts) -> System.out.println(
                (counts[1] == 0 ? "PASS " : "FAIL ") + name + ": " + counts[1] + " of " + counts[0] + " failed"));
        return runsAndFailures.values().stream().allMatch(counts -> counts[1] == 0);
    }

    private void run(String name, int round) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClass(name))
                        .build(),
                listener);
        List<TestExecutionSummary.Failure> failures = listener.getSummary().getFailures();
        failures.forEach(failure -> {
            System.out.println("run " + round + " of " + name + ": "
                    + failure.getTestIdentifier().getUniqueId());
            failure.getException().printStackTrace(System.out);
        });
        int[] counts = runsAndFailures.computeIfAbsent(name, key -> new int[2]);
        counts[0]++;
        counts[1] += failures.isEmpty() ? 0 : 1;
    }
}
