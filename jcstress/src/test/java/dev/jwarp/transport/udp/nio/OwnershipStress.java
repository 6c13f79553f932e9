package dev.jwarp.transport.udp.nio;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link Ownership}. */
public final class OwnershipStress {
    private OwnershipStress() {}

    private static Ownership ownership() {
        return new Ownership(() -> {}, () -> {}, cause -> {});
    }

    /** Two threads leave notes. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both were run, one after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, or two ran at the same time.")
    @State
    public static class TwoNotes {
        private final Ownership ownership = ownership();
        private int count;

        /** One thread. */
        @Actor
        public void first() {
            ownership.execute(() -> count++);
        }

        /** The other. */
        @Actor
        public void second() {
            ownership.execute(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One leaves a note while the other polls. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and nobody is told off.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, two owners, or a poller was taken for a second one.")
    @State
    public static class NoteAndPoll {
        private final Ownership ownership = ownership();
        private int count;
        private int told;

        /** One thread. */
        @Actor
        public void note() {
            ownership.execute(() -> count++);
        }

        /** The other. */
        @Actor
        public void poll() {
            try {
                ownership.enter();
                count++;
                ownership.leave();
            } catch (IllegalStateException e) {
                told++;
            }
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = count;
            result.r2 = told;
        }
    }

    /** One waits until its note was run, the other one leaves one. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "Run before it came back.")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Both were.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Not run when it came back, or two at the same time.")
    @State
    public static class NoteAndWait {
        private final Ownership ownership = ownership();
        private volatile int count;

        /** One thread. */
        @Actor
        @SuppressWarnings("NonAtomicVolatileUpdate") // that is what is tested
        public void executeAndWait(II_Result result) {
            ownership.executeAndWait(() -> count++);
            result.r1 = count;
        }

        /** The other. */
        @Actor
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void execute() {
            ownership.execute(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r2 = count;
        }
    }
}
