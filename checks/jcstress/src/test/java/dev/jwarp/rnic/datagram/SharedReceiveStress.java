package dev.jwarp.rnic.datagram;

import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rnic.Rig;
import dev.jwarp.rnic.completion.Entries;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.MemoryStress;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.verbs.ReceiveWorkRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link RnicSharedReceiveQueue}: owners of several streams take and return receives, programs post. */
public final class SharedReceiveStress {
    private SharedReceiveStress() {}

    private static int request(ReceiveOperation operation) {
        return operation == null ? 0 : (int) operation.workRequestId();
    }

    /** Two owners take. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "One for each.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A receive was lost, or taken by two.")
    @State
    public static class TwoTake {
        private final RnicSharedReceiveQueue queue = MemoryStress.newReceiveQueue();

        /** Two receives are posted. */
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

    /** An owner releases a place while a program posts a receive; two receives are posted afterwards. */
    @JCStressTest
    @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "The number of places is unchanged.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A place was lost, or given to two.")
    @State
    public static class PostAndRelease {
        private final RnicSharedReceiveQueue queue = MemoryStress.newReceiveQueue();
        private final ReceiveOperation taken;

        /** One receive is posted and taken. */
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

        /** Checks the number of posted receives, and that there is no third place. */
        @Arbiter
        public void rest(I_Result result) {
            ReceiveWorkRequest[] more = {new ReceiveWorkRequest().id(2), new ReceiveWorkRequest().id(9)};
            int posted = queue.postReceive(more, 2);
            result.r1 = posted == 1 ? request(queue.take()) + request(queue.take()) : -posted;
        }
    }

    /** {@return the access of a queue pair to the queue, which counts notifications to try again} */
    private static SharedReceives taker(RnicSharedReceiveQueue queue, RnicCompletionQueue completions, int[] told) {
        return new SharedReceives(queue, completions, true, () -> {
            synchronized (told) {
                told[0]++;
            }
        });
    }

    private static int told(int[] times) {
        synchronized (times) {
            return times[0];
        }
    }

    /** An owner takes a receive, or finds none, while a program posts. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Taken.")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Not there yet, but notified later.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A message waits forever, or a needless notification.")
    @State
    public static class TakeOrWait {
        private final RnicSharedReceiveQueue queue = MemoryStress.newReceiveQueue();
        private final int[] told = new int[1];
        private final SharedReceives owner = taker(queue, Entries.queue(Rig.THREADED, 2), told);

        /** An owner. */
        @Actor
        public void take(II_Result result) {
            result.r1 = request(owner.take());
        }

        /** A program. */
        @Actor
        public void post() {
            queue.postReceive(new ReceiveWorkRequest().id(1));
        }

        /** The notifications of the owner. */
        @Arbiter
        public void rest(II_Result result) {
            result.r2 = told(told);
        }
    }

    /** One owner returns a receive that its message did not fit, while another one takes. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Taken.")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Not back yet, but notified later.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A message waits forever, or a needless notification.")
    @State
    public static class TakeOrPutBack {
        private final RnicSharedReceiveQueue queue = MemoryStress.newReceiveQueue();
        private final int[] told = new int[1];
        private final SharedReceives first = taker(queue, Entries.queue(Rig.THREADED, 2), new int[1]);
        private final SharedReceives second = taker(queue, Entries.queue(Rig.THREADED, 2), told);
        private final ReceiveOperation looked;

        /** One receive is posted, and taken for inspection. */
        public TakeOrPutBack() {
            queue.postReceive(new ReceiveWorkRequest().id(1));
            looked = first.take();
        }

        /** The owner that inspected it. */
        @Actor
        public void putBack() {
            first.putBack(looked);
        }

        /** The other. */
        @Actor
        public void take(II_Result result) {
            result.r1 = request(second.take());
        }

        /** The notifications of the other owner. */
        @Arbiter
        public void rest(II_Result result) {
            result.r2 = told(told);
        }
    }

    /** An owner needs a place for a completion while one becomes free. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "Taken; the freeing thread may have notified the owner, too.")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "No place yet, but notified later.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A message waits forever.")
    @State
    public static class PlaceOrWait {
        private final RnicSharedReceiveQueue queue = MemoryStress.newReceiveQueue();
        private final RnicCompletionQueue completions = Entries.queue(Rig.THREADED, 1);
        private final int[] told = new int[1];
        private final SharedReceives owner = taker(queue, completions, told);

        /** The only place is reserved, and a receive is posted. */
        public PlaceOrWait() {
            queue.postReceive(new ReceiveWorkRequest().id(1));
            completions.reserve();
            completions.addUser(new RnicCompletionQueue.User() {
                @Override
                public int number() {
                    return 1;
                }

                @Override
                public boolean reserves() {
                    return true;
                }

                @Override
                public int mostOn(RnicCompletionQueue queue) {
                    return 0;
                }

                @Override
                public void failLocally(String reason) {}

                @Override
                public void roomAgain() {
                    owner.placesAgain();
                }
            });
        }

        /** An owner. */
        @Actor
        public void take(II_Result result) {
            result.r1 = request(owner.take());
        }

        /** The thread that frees the place. */
        @Actor
        public void free() {
            completions.unreserve();
        }

        /** The notifications of the owner. */
        @Arbiter
        public void rest(II_Result result) {
            result.r2 = told(told);
        }
    }
}
