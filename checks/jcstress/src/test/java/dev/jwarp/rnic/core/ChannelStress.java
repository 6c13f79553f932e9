package dev.jwarp.rnic.core;

import dev.jwarp.rnic.Rig;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** {@link RnicChannel}: one thread closes the channel while another one creates a user of it. */
public final class ChannelStress {
    private ChannelStress() {}

    /** Both at the same time. */
    @JCStressTest
    @Outcome(id = "null, CLOSED", expect = Expect.ACCEPTABLE, desc = "Closed first.")
    @Outcome(id = "RESOURCE_BUSY, null", expect = Expect.ACCEPTABLE, desc = "Used first.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A closed channel is used, or both calls failed.")
    @State
    public static class CloseAndUse {
        private final RnicChannel<String> channel =
                new RnicChannel<>(Rig.THREADED.core().progression(), "channel", "user", closed -> {}) {};

        /** The program. */
        @Actor
        public void close(LL_Result result) {
            result.r1 = refusal(channel::close);
        }

        /** Another thread of the program. */
        @Actor
        public void use(LL_Result result) {
            result.r2 = refusal(channel::addUser);
        }

        private static @Nullable RdmaErrorCode refusal(Runnable call) {
            try {
                call.run();
                return null;
            } catch (RdmaException e) {
                return e.code();
            }
        }
    }
}
