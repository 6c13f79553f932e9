package dev.jwarp.rnic.connection;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.rnic.Rig;
import dev.jwarp.rnic.completion.Entries;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * {@link RnicQueuePair} and {@link QueuePairConnection}: programs post while a connection begins and ends, and tasks
 * reach the owner late. Every request completes once, and all entries of the completion queue are free afterwards.
 */
public final class QueuePairStress {
    private static final int POSTS = 4;
    private static final int ENTRIES = 16;
    private static final String ONCE = "All posted requests completed, and no entry is lost or duplicated.";
    private static final String NOT_ONCE = "A request was lost or completed twice, or the completion queue is broken.";

    private QueuePairStress() {}

    /** A queue pair with a connection, and the completions of its requests. */
    abstract static class Connected {
        final RnicCompletionQueue completions = Entries.queue(Rig.THREADED, ENTRIES);
        final RnicQueuePair queuePair = new RnicQueuePair(
                Rig.CONNECTIONS,
                Rig.DOMAIN,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(POSTS)
                        .maxReceiveWorkRequests(POSTS)
                        .build(),
                new Completer(9, completions, completions));
        final Owner owner = new Owner();
        final QueuePairConnection connection;
        private final int[] completed = new int[2 * POSTS];

        Connected() {
            queuePair.modify(QueuePairState.INIT);
            connection = queuePair.begin(Connected::untold);
        }

        /** The end of a connection is not reported here. */
        static void untold(@Nullable RdmaErrorCode error, String how, @Nullable String why) {}

        final void establish() {
            connection.onEstablished(owner, new LlpAgreement(false, 0, 0, ReadyToReceive.NONE), 0);
        }

        /** Breaks the connection, then runs the tasks left for the owner. */
        final void breakOff() {
            connection.onClosed(LlpEnd.RESET, 0);
            owner.work();
        }

        final void postReceive(int number) {
            queuePair.postReceive(new ReceiveWorkRequest().id(number));
        }

        final void postSend(int number) {
            queuePair.postSend(new SendWorkRequest().id(POSTS + number));
        }

        final void polled(long request) {
            completed[(int) request - 1]++;
        }

        /**
         * {@return the number of requests that did not complete once, of the first {@code receives} and the first
         * {@code sends}}
         */
        final int wrong(int receives, int sends) {
            owner.work();
            for (long next = Entries.polled(completions); next != 0; next = Entries.polled(completions)) {
                polled(next);
            }
            int wrong = 0;
            for (int i = 0; i < 2 * POSTS; i++) {
                boolean posted = i < POSTS ? i < receives : i - POSTS < sends;
                wrong += completed[i] == (posted ? 1 : 0) ? 0 : 1;
            }
            return wrong;
        }

        /** {@return the number of free entries of the completion queue} More than exist if the list has a cycle. */
        final int free() {
            int free = 0;
            while (free <= ENTRIES && completions.claim(0) != null) {
                free++;
            }
            return free;
        }
    }

    /** Receives are posted while the connection breaks. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class ReceivesAndReset extends Connected {
        /** One receive is posted already. */
        public ReceivesAndReset() {
            establish();
            postReceive(1);
        }

        /** The owner. */
        @Actor
        public void end() {
            breakOff();
        }

        /** The program. */
        @Actor
        public void post() {
            for (int i = 2; i <= POSTS; i++) {
                postReceive(i);
            }
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(POSTS, 0);
            result.r2 = free();
        }
    }

    /** The program reuses the queue pair as soon as the connection has ended. */
    @JCStressTest
    @Outcome(
            id = "0, 1",
            expect = Expect.ACCEPTABLE,
            desc = "The requests of the connection were flushed, later ones were not.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The old connection flushed requests after it had lost the queue pair.")
    @State
    public static class EndAndNextBeginning extends Connected {
        /** One receive is posted already. */
        public EndAndNextBeginning() {
            establish();
            postReceive(1);
        }

        /** The owner. */
        @Actor
        public void end() {
            breakOff();
        }

        /** The program. */
        @Actor
        public void again() {
            while (queuePair.connection() != null) {
                Thread.onSpinWait();
            }
            queuePair.modify(QueuePairState.RESET);
            queuePair.modify(QueuePairState.INIT);
            postReceive(2);
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(1, 0);
            result.r2 = queuePair.query().receivesOutstanding();
        }
    }

    /** A connection begins while the program moves the queue pair to ERROR, posts to it, and makes it ready again. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class BeginAndBeginAnew extends Connected {
        /** The first connection has ended. */
        public BeginAndBeginAnew() {
            establish();
            breakOff();
            queuePair.modify(QueuePairState.RESET);
            queuePair.modify(QueuePairState.INIT);
        }

        /** A call of connect. */
        @Actor
        public void begin() {
            try {
                queuePair.begin(Connected::untold);
            } catch (RdmaException e) {
                // The queue pair was not in INIT.
            }
        }

        /** The program. */
        @Actor
        public void again() {
            queuePair.modify(QueuePairState.ERR);
            postSend(1);
            if (queuePair.connection() == null) {
                try {
                    queuePair.modify(QueuePairState.RESET);
                    queuePair.modify(QueuePairState.INIT);
                } catch (RdmaException e) {
                    // The queue pair has a connection.
                }
            }
        }

        /** Establishes and breaks the connection, if there is one; checks the result. */
        @Arbiter
        public void count(II_Result result) {
            QueuePairConnection begun = queuePair.connection();
            if (begun != null) {
                begun.onEstablished(owner, new LlpAgreement(false, 0, 0, ReadyToReceive.NONE), 0);
                owner.work();
                begun.onClosed(LlpEnd.RESET, 0);
            }
            result.r1 = wrong(0, 1);
            result.r2 = free();
        }
    }

    /** Sends are posted while the connection breaks. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class SendsAndReset extends Connected {
        /** One send is posted already. */
        public SendsAndReset() {
            establish();
            postSend(1);
        }

        /** The owner. */
        @Actor
        public void end() {
            breakOff();
        }

        /** The program. */
        @Actor
        public void post() {
            for (int i = 2; i <= POSTS; i++) {
                postSend(i);
            }
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(0, POSTS);
            result.r2 = free();
        }
    }

    /** The connection has ended, and its owner runs late tasks while receives are posted. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class LateCommands extends Connected {
        /** The connection ends right after a task was left for its owner. */
        public LateCommands() {
            establish();
            queuePair.modify(QueuePairState.ERR);
            postReceive(1);
            connection.postedAfterTheEnd();
            connection.onClosed(LlpEnd.RESET, 0);
        }

        /** The owner. */
        @Actor
        public void late() {
            owner.work();
        }

        /** The program. */
        @Actor
        public void post() {
            for (int i = 2; i <= POSTS; i++) {
                postReceive(i);
            }
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(POSTS, 0);
            result.r2 = free();
        }
    }

    /** The set-up of the connection fails while receives are posted. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class NeverBegan extends Connected {
        /** One receive is posted already. */
        public NeverBegan() {
            connection.owner(owner);
            postReceive(1);
        }

        /** The owner. */
        @Actor
        public void fail() {
            connection.neverBegan("as if");
        }

        /** The program. */
        @Actor
        public void post() {
            for (int i = 2; i <= POSTS; i++) {
                postReceive(i);
            }
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(POSTS, 0);
            result.r2 = free();
        }
    }

    /** All requests are flushed while the program polls, and posts again after completions. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class PolledDuringReset extends Connected {
        /** Receives are posted already. */
        public PolledDuringReset() {
            establish();
            for (int i = 1; i < POSTS; i++) {
                postReceive(i);
            }
        }

        /** The owner. */
        @Actor
        public void end() {
            breakOff();
        }

        /** The program. */
        @Actor
        public void pollAndPost() {
            for (int i = 1; i < POSTS; i++) {
                long request = Entries.polled(completions);
                if (request != 0) {
                    polled(request);
                }
            }
            postReceive(POSTS);
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(POSTS, 0);
            result.r2 = free();
        }
    }

    /** The program moves the queue pair to ERROR while its connection breaks, and posts afterwards. */
    @JCStressTest
    @Outcome(id = "0, 16", expect = Expect.ACCEPTABLE, desc = ONCE)
    @Outcome(expect = Expect.FORBIDDEN, desc = NOT_ONCE)
    @State
    public static class ModifyAndReset extends Connected {
        /** One receive is posted already. */
        public ModifyAndReset() {
            establish();
            postReceive(1);
        }

        /** The owner. */
        @Actor
        public void end() {
            breakOff();
        }

        /** The program. */
        @Actor
        public void modifyAndPost() {
            queuePair.modify(QueuePairState.ERR);
            for (int i = 2; i <= POSTS; i++) {
                postReceive(i);
            }
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = wrong(POSTS, 0);
            result.r2 = free();
        }
    }
}
