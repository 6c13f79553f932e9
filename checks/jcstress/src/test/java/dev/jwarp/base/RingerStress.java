package dev.jwarp.base;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link Ringer}: no ring is lost. */
public final class RingerStress {
    private RingerStress() {}

    /** The bell is rung again while the owner takes it. */
    @JCStressTest
    @Outcome(id = "1, [12]", expect = Expect.ACCEPTABLE, desc = "An examination saw the post.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No examination saw the post: it is never sent.")
    @State
    public static class RungAgain {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final Ringer ringer = new Ringer(tasks::add, this::look);
        private int posted;
        private int seen;
        private int looks;

        /** The bell is rung already. */
        public RungAgain() {
            ringer.ring();
        }

        private void look() {
            ringer.heard();
            seen = posted;
            looks++;
        }

        /** Posts, and rings. */
        @Actor
        public void post() {
            posted = 1;
            ringer.ring();
        }

        /** The owner. */
        @Actor
        public void work() {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
        }

        /** The owner, after both. */
        @Arbiter
        public void workOn(II_Result result) {
            work();
            result.r1 = seen;
            result.r2 = looks;
        }
    }
}
