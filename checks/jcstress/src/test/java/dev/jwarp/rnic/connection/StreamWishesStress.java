package dev.jwarp.rnic.connection;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link StreamWishes}: any thread adds wishes, the owner removes them. */
public final class StreamWishesStress {
    private StreamWishesStress() {}

    /** A wish is added while the owner becomes known. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Done once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Not done, or twice.")
    @State
    public static class OwnerBecomesKnown {
        private int done;
        private final StreamWishes wishes = new StreamWishes(wish -> done++, this::leave);
        private final Owner owner = new Owner();

        private void leave() {
            wishes.leave();
        }

        /** The transport. */
        @Actor
        public void known() {
            wishes.owner(owner);
        }

        /** The program. */
        @Actor
        public void ask() {
            wishes.ask(StreamWishes.Wish.FLUSH);
        }

        /** The owner. */
        @Arbiter
        public void work(I_Result result) {
            owner.work();
            result.r1 = done;
        }
    }
}
