package dev.jwarp.benchmarks.compare;

import dev.jwarp.benchmarks.memory.MemoryRun;
import dev.jwarp.benchmarks.memory.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** P15: memory in bytes of one more idle connection, or one more datagram peer. */
final class MemoryGoal {
    private static final int FEW = 500;
    private static final int MANY = 4_000;
    private static final int QUICK_MANY = 1_500;
    private static final int HANDLES = 50_000;

    private MemoryGoal() {}

    static List<Outcome> measure(boolean quick) {
        List<Outcome> outcomes = new ArrayList<>();
        outcomes.add(one("idle RC connection, as by default", Scenario.RC_IDLE, Bound.atMost(8704), quick));
        if (!quick) {
            outcomes.add(one("idle RC connection, read depth of 1", Scenario.RC_LEAN, Bound.REPORT, false));
            outcomes.add(one("UD peer that was heard", Scenario.UD_SILENT, Bound.REPORT, false));
        }
        outcomes.add(one(
                "UD peer with an address handle, all at one address", Scenario.UD_HANDLE, Bound.atMost(256), quick));
        outcomes.add(one(
                "UD peer with an address handle, each at its own", Scenario.UD_HANDLE_APART, Bound.atMost(256), quick));
        return outcomes;
    }

    private static Outcome one(String label, Scenario scenario, Bound bound, boolean quick) {
        Comparison comparison = Comparison.figure("P15", label + ", bytes", "", Metric.ALLOCATED, bound);
        try {
            // Handles are made quickly, and their few bytes show only in large numbers.
            int many = scenario.handlesAlone() ? HANDLES : quick ? QUICK_MANY : MANY;
            long octets = MemoryRun.onePeer(scenario, FEW, many);
            System.out.println("  " + label + ": " + octets + " bytes");
            return Outcome.once(comparison, (double) octets);
        } catch (IOException e) {
            return Outcome.notRun(comparison, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Outcome.notRun(comparison, "interrupted");
        }
    }
}
