package dev.jwarp.rdmap.work;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link OperationRing}: one thread posts, the owner of the stream removes. */
public final class OperationRingStress {
    private OperationRingStress() {}

    private static final class Operation {
        int value;
    }

    private static boolean post(OperationRing<Operation> ring, int value) {
        Operation operation = ring.claim();
        if (operation == null) {
            return false;
        }
        operation.value = value;
        ring.publish();
        return true;
    }

    /** A published entry is complete. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Not yet published.")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "Published.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Published without its contents.")
    @State
    public static class Published {
        private final OperationRing<Operation> ring = new OperationRing<>(4, Operation::new);

        /** The posting thread. */
        @Actor
        public void post() {
            OperationRingStress.post(ring, 7);
        }

        /** The owner. */
        @Actor
        public void take(I_Result result) {
            if (ring.released() < ring.published()) {
                Operation operation = ring.at(ring.released());
                result.r1 = operation == null || operation.value == 0 ? -1 : operation.value;
            }
        }
    }

    /** A slot is reused only after its release. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "The second post found the queue full.")
    @Outcome(id = "3, 5", expect = Expect.ACCEPTABLE, desc = "The second post came after the release.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A slot in use was written, or a post was lost.")
    @State
    public static class Released {
        private final OperationRing<Operation> ring = new OperationRing<>(1, Operation::new);

        /** A full queue. */
        public Released() {
            OperationRingStress.post(ring, 3);
        }

        /** The posting thread. */
        @Actor
        public void post() {
            OperationRingStress.post(ring, 5);
        }

        /** The owner. */
        @Actor
        public void take(II_Result result) {
            result.r1 = ring.at(0).value;
            ring.release(0);
        }

        /** The owner, after both. */
        @Arbiter
        public void rest(II_Result result) {
            result.r2 = ring.released() < ring.published() ? ring.at(ring.released()).value : 0;
        }
    }

    /** The size is never negative. */
    @JCStressTest
    @Outcome(id = "[0123]", expect = Expect.ACCEPTABLE, desc = "The size at some moment, approximately.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Negative.")
    @State
    public static class Size {
        private final OperationRing<Operation> ring = new OperationRing<>(4, Operation::new);

        /** Posts and removes: one thread may do both. */
        @Actor
        public void postAndTake() {
            for (int i = 0; i < 3; i++) {
                OperationRingStress.post(ring, i);
                ring.release(i);
            }
        }

        /** Any thread. */
        @Actor
        public void look(I_Result result) {
            result.r1 = ring.size();
        }
    }
}
