package dev.jwarp.rnic.completion;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link FreeCompletions}: each entry is either in use or free. */
public final class FreeCompletionsStress {
    private FreeCompletionsStress() {}

    private static int number(Completion entry) {
        return entry == null ? -1 : entry.number();
    }

    /** Two threads take at the same time. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "One for each.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An entry was lost, or given to two.")
    @State
    public static class TwoTake {
        private final FreeCompletions free = new FreeCompletions(2, false);

        /** One thread. */
        @Actor
        public void first(II_Result result) {
            result.r1 = number(free.take());
        }

        /** The other. */
        @Actor
        public void second(II_Result result) {
            result.r2 = number(free.take());
        }
    }

    /** The top is the same entry again at the compare-and-set, but its successor has changed (ABA). */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Each entry is there once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An entry was lost, or given to two.")
    @State
    public static class TopAgain {
        private final FreeCompletions free = new FreeCompletions(3, false);
        private Completion one;
        private Completion other;

        /** Takes an entry. */
        @Actor
        public void take() {
            one = free.take();
        }

        /** Takes two entries, and returns the first. */
        @Actor
        public void takeTwoGiveOne() {
            Completion first = free.take();
            other = free.take();
            free.give(first);
        }

        /** Counts used and free entries. */
        @Arbiter
        public void count(I_Result result) {
            int[] seen = new int[3];
            seen[one.number()]++;
            seen[other.number()]++;
            int rest = 0;
            for (Completion entry = free.take(); entry != null && rest < 3; entry = free.take()) {
                seen[entry.number()]++;
                rest++;
            }
            result.r1 = Math.abs(seen[0] - 1) + Math.abs(seen[1] - 1) + Math.abs(seen[2] - 1);
        }
    }
}
