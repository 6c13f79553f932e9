package dev.jwarp.rnic;

import dev.jwarp.rdmap.ReceiveOperation;
import dev.jwarp.verbs.ReceiveWorkRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link RnicSharedReceiveQueue}: owners of several streams take and give back, programs post. */
public final class SharedReceiveStress {
    private SharedReceiveStress() {}

    private static RnicSharedReceiveQueue queue() {
        return new RnicSharedReceiveQueue(Rig.DOMAIN, 1, 2, 1);
    }

    private static int request(ReceiveOperation operation) {
        return operation == null ? 0 : (int) operation.workRequestId();
    }

    /** Two owners take. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "One each.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A receive was lost, or taken by two.")
    @State
    public static class TwoTake {
        private final RnicSharedReceiveQueue queue = queue();

        /** Two are posted. */
        public TwoTake() {
            queue.postReceive(new ReceiveWorkRequest().id(1));
            queue.postReceive(new ReceiveWorkRequest().id(2));
        }

        /** One owner. */
        @Actor
        public void first(II_Result result) {
            result.r1 = request(queue.take());
        }

        /** The other. */
        @Actor
        public void second(II_Result result) {
            result.r2 = request(queue.take());
        }
    }

    /** An owner gives one back while a program posts another one, and two are posted after that. */
    @JCStressTest
    @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "As many places as there were.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A place was lost, or given to two.")
    @State
    public static class PostAndRelease {
        private final RnicSharedReceiveQueue queue = queue();
        private final ReceiveOperation taken;

        /** One is posted, and taken. */
        public PostAndRelease() {
            queue.postReceive(new ReceiveWorkRequest().id(7));
            taken = queue.take();
        }

        /** An owner. */
        @Actor
        public void release() {
            queue.release(taken);
        }

        /** A program. */
        @Actor
        public void post() {
            queue.postReceive(new ReceiveWorkRequest().id(1));
        }

        /** The sum of what was posted, and there is no third place. */
        @Arbiter
        public void rest(I_Result result) {
            ReceiveWorkRequest[] more = {new ReceiveWorkRequest().id(2), new ReceiveWorkRequest().id(9)};
            int posted = queue.postReceive(more, 2);
            result.r1 = posted == 1 ? request(queue.take()) + request(queue.take()) : -posted;
        }
    }
}
