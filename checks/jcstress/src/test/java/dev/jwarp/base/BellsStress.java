package dev.jwarp.base;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link Bells}. */
public final class BellsStress {
    private static final int WISH = 2;

    private BellsStress() {}

    /** A bell is rung again while the owner takes it: a later examination sees the new post. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "An examination saw the post.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No examination saw the post: it is never sent.")
    @State
    public static class RungAgain {
        private final Bells<Object> bells = new Bells<>();
        private final Bells.Bell<Object> bell = new Bells.Bell<>("owner");
        private int posted;
        private int seen;

        /** The bell is rung already. */
        public RungAgain() {
            bells.ring(bell);
        }

        /** Posts, and rings. */
        @Actor
        public void post() {
            posted = 1;
            bells.ring(bell);
        }

        /** The owner. */
        @Actor
        public void look() {
            if (bells.takeAll() != null) {
                bells.next(bell);
                bells.heard(bell);
                seen = posted;
            }
        }

        /** The owner, after both. */
        @Arbiter
        public void lookAgain(I_Result result) {
            look();
            result.r1 = seen;
        }
    }

    /**
     * A bell is rung with a wish while the owner takes it: one examination gets the wish, and sees the writes before
     * it.
     */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The wish was received once.")
    @Outcome(
            expect = Expect.FORBIDDEN,
            desc = "The wish was lost, received twice, or received before the writes that precede it.")
    @State
    public static class WishAgain {
        private final Bells<Object> bells = new Bells<>();
        private final Bells.Bell<Object> bell = new Bells.Bell<>("owner");
        private int posted;
        private int seen;
        private int wishes;

        /** The bell is rung already. */
        public WishAgain() {
            bells.ring(bell);
        }

        /** Posts, and rings with a wish. */
        @Actor
        public void post() {
            posted = 1;
            bells.ring(bell, WISH);
        }

        /** The owner. */
        @Actor
        public void look() {
            if (bells.takeAll() != null) {
                bells.next(bell);
                if ((bells.heard(bell) & WISH) != 0) {
                    wishes++;
                    seen = posted;
                }
            }
        }

        /** The owner, after both. */
        @Arbiter
        public void lookAgain(II_Result result) {
            look();
            result.r1 = wishes;
            result.r2 = seen;
        }
    }

    /** Two bells are rung while the owner takes all. */
    @JCStressTest
    @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "Each was taken once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A bell was lost, or taken twice.")
    @State
    public static class RingAndTake {
        private final Bells<Integer> bells = new Bells<>();
        private final Bells.Bell<Integer> second = new Bells.Bell<>(2);
        private final Bells.Bell<Integer> third = new Bells.Bell<>(3);
        private int taken;

        /** One bell is rung already. */
        public RingAndTake() {
            bells.ring(new Bells.Bell<>(1));
        }

        /** Rings the two others. */
        @Actor
        public void ring() {
            bells.ring(second);
            bells.ring(third);
        }

        /** The owner. */
        @Actor
        public void take() {
            taken += countAll(bells);
        }

        /** The owner, after both. */
        @Arbiter
        public void rest(I_Result result) {
            take();
            result.r1 = taken;
        }
    }

    /** Two threads ring: two different bells, and the same one. */
    @JCStressTest
    @Outcome(
            id = {"3, 1", "3, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "All bells are there, and only one thread was the first to ring the common one.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A bell was lost, or is there twice.")
    @State
    public static class TwoRing {
        private final Bells<Integer> bells = new Bells<>();
        private final Bells.Bell<Integer> one = new Bells.Bell<>(1);
        private final Bells.Bell<Integer> other = new Bells.Bell<>(2);
        private final Bells.Bell<Integer> both = new Bells.Bell<>(3);
        private boolean firstWasFirst;
        private boolean secondWasFirst;

        /** One thread. */
        @Actor
        public void first() {
            bells.ring(one);
            firstWasFirst = bells.ring(both);
        }

        /** The other. */
        @Actor
        public void second() {
            bells.ring(other);
            secondWasFirst = bells.ring(both);
        }

        /** The owner. */
        @Arbiter
        public void take(II_Result result) {
            result.r1 = countAll(bells);
            result.r2 = (firstWasFirst ? 1 : 0) + (secondWasFirst ? 2 : 0);
        }
    }

    private static int countAll(Bells<Integer> bells) {
        int count = 0;
        Bells.Bell<Integer> bell = bells.takeAll();
        while (bell != null && count < 4) {
            Bells.Bell<Integer> taken = bell;
            bell = bells.next(taken);
            bells.heard(taken);
            count++;
        }
        return count;
    }
}
