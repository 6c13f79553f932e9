package dev.jwarp.rnic.connection;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** {@link ConnectionLife}: the owner moves it, and the program at any time. */
public final class ConnectionLifeStress {
    private ConnectionLifeStress() {}

    /** The program disconnects while the lower layer begins. */
    @JCStressTest
    @Outcome(id = "ENDING", expect = Expect.ACCEPTABLE, desc = "It has begun, and its end is wanted.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One of the two is forgotten.")
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

        /** What came of it. */
        @Arbiter
        public void look(L_Result result) {
            result.r1 = life.state();
        }
    }
}
