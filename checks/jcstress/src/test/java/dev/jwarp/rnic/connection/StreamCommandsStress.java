package dev.jwarp.rnic.connection;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link StreamCommands}: any thread adds commands, the owner removes them. */
public final class StreamCommandsStress {
    private StreamCommandsStress() {}

    /** A command is added while the owner becomes known. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Done once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Not done, or twice.")
    @State
    public static class OwnerBecomesKnown {
        private int done;
        private final StreamCommands commands = new StreamCommands(command -> done++, this::leave);
        private final Owner owner = new Owner();

        private void leave() {
            commands.leave();
        }

        /** The transport. */
        @Actor
        public void known() {
            commands.owner(owner);
        }

        /** The program. */
        @Actor
        public void ask() {
            commands.ask(StreamCommands.Command.FLUSH);
        }

        /** The owner. */
        @Arbiter
        public void work(I_Result result) {
            owner.work();
            result.r1 = done;
        }
    }
}
