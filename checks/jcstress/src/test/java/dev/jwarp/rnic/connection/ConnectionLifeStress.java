package dev.jwarp.rnic.connection;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** {@link ConnectionLife}: transitions by the owner, and by the program at any time. */
public final class ConnectionLifeStress {
    private ConnectionLifeStress() {}

    /** The program disconnects while the lower layer establishes the connection. */
    @JCStressTest
    @Outcome(id = "ENDING", expect = Expect.ACCEPTABLE, desc = "The connection has begun and is to end.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One of the two transitions is lost.")
    @State
    public static class DisconnectAndEstablished {
        private final ConnectionLife life = new ConnectionLife();

        /** The owner. */
        @Actor
        public void establish() {
            life.move(ConnectionLife.Event.ESTABLISHED);
        }

        /** The program. */
        @Actor
        public void disconnect() {
            life.move(ConnectionLife.Event.END_WANTED);
        }

        /** Checks the result. */
        @Arbiter
        public void look(L_Result result) {
            result.r1 = life.state();
        }
    }
}
