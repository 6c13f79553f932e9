package dev.jwarp.io;

import dev.jwarp.base.Bells;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** {@link Ownership} and {@link Waiting}, as the inline loops use them together. */
public final class OwnershipStress {
    private static final long LONG_SECONDS = 180;

    private OwnershipStress() {}

    /** A loop that moves nothing. */
    private static final class Loop implements Ownership.Owned {
        final Ownership ownership = new Ownership(this);
        final Bells<Object> bells = new Bells<>();

        /** In place of a selector: a wake-up ends the wait under way, or else the next one. */
        final Semaphore wakeups = new Semaphore(0);

        final Waiting waiting = new Waiting(() -> bells.isEmpty() && !ownership.hasNotes(), wakeups::release);
        volatile boolean notesWait;

        Loop(boolean notesWait) {
            this.notesWait = notesWait;
        }

        @Override
        public boolean notesWaitForPoll() {
            return notesWait;
        }

        @Override
        public void onNote() {
            waiting.signal();
        }

        @Override
        public void afterNotes() {}

        @Override
        public void noteFailed(Throwable cause) {
            throw new IllegalStateException("a note of this test failed", cause);
        }

        /** Answers whether it was not told that another thread polls. */
        boolean poll(Runnable work) {
            try {
                if (ownership.enter()) {
                    ownership.runNotes();
                    work.run();
                    ownership.leave();
                }
                return true;
            } catch (IllegalStateException e) {
                return false;
            }
        }

        /** Answers whether it waited to the end of its patience. */
        boolean waitsTooLong() {
            try {
                return waiting.begin() && !wakeups.tryAcquire(LONG_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                return true;
            } finally {
                waiting.end();
            }
        }
    }

    /** Two threads leave notes that wait for no poll, as all do once a transport is closed. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both were run, one after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, or two ran at the same time.")
    @State
    public static class TwoNotes {
        private final Loop loop = new Loop(false);
        private int count;

        /** One thread. */
        @Actor
        public void first() {
            loop.ownership.note(() -> count++);
        }

        /** The other. */
        @Actor
        public void second() {
            loop.ownership.execute(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One leaves a note while the other polls. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and no exception.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, two owners, or a poller was taken for a second one.")
    @State
    public static class NoteAndPoll {
        private final Loop loop = new Loop(false);
        private int count;
        private int told;

        /** There was a poll before. */
        public NoteAndPoll() {
            loop.poll(() -> {});
        }

        /** One thread. */
        @Actor
        public void note() {
            loop.ownership.execute(() -> count++);
        }

        /** The other. */
        @Actor
        public void poll() {
            if (!loop.poll(() -> count++)) {
                told++;
            }
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = count;
            result.r2 = told;
        }
    }

    /** One waits until its note was run, the other one leaves one. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "Run before it came back.")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Both were.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Not run when it came back, or two at the same time.")
    @State
    public static class NoteAndWait {
        private final Loop loop = new Loop(false);
        private volatile int count;

        /** One thread. */
        @Actor
        @SuppressWarnings("NonAtomicVolatileUpdate") // that is what is tested
        public void executeAndWait(II_Result result) {
            loop.ownership.executeAndWait(() -> count++);
            result.r1 = count;
        }

        /** The other. */
        @Actor
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void execute() {
            loop.ownership.execute(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r2 = count;
        }
    }

    /** Two threads wait until their notes were run, and no thread polls. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "One after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Two owners at the same time.")
    @State
    public static class TwoWait {
        private final Loop loop = new Loop(true);
        private int count;

        /** One thread. */
        @Actor
        public void first() {
            loop.ownership.executeAndWait(() -> count++);
        }

        /** The other. */
        @Actor
        public void second() {
            loop.ownership.executeAndWait(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One leaves a note that waits for a poll, and waits for another one, while the other polls. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and no exception.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, two owners, or a poller was taken for a second one.")
    @State
    public static class WaitAndPoll {
        private final Loop loop = new Loop(true);
        private int count;
        private int told;

        /** One thread. */
        @Actor
        public void executeAndWait() {
            loop.ownership.note(() -> count++);
            Thread.currentThread().interrupt(); // so it does not park, and tries all the time
            loop.ownership.executeAndWait(() -> count++);
            Thread.interrupted();
        }

        /** The other. */
        @Actor
        public void poll() {
            if (!loop.poll(() -> count++)) {
                told++;
            }
        }

        /** The next poll. */
        @Arbiter
        public void count(II_Result result) {
            loop.poll(() -> {});
            result.r1 = count;
            result.r2 = told;
        }
    }

    /** One leaves a note that would wait for a poll, while the other closes the loop, which is polled no more. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "It was run.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It was lost, or run twice.")
    @State
    public static class NoteAndClose {
        private final Loop loop = new Loop(true);
        private int count;

        /** One thread. */
        @Actor
        public void note() {
            loop.ownership.note(() -> count++);
        }

        /** The other. */
        @Actor
        public void close() {
            loop.ownership.executeAndWait(() -> loop.notesWait = false);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** A note is left while the owner begins to wait: it does not wait. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost, or the note.")
    @State
    public static class NoteWhileWaiting {
        private final Loop loop = new Loop(true);
        private int done;

        /** Any thread. */
        @Actor
        public void note() {
            loop.ownership.note(() -> done++);
        }

        /** The owner. */
        @Actor
        public void await(ZI_Result result) {
            result.r1 = loop.waitsTooLong();
        }

        /** The next poll. */
        @Arbiter
        public void work(ZI_Result result) {
            loop.poll(() -> {});
            result.r2 = done;
        }
    }

    /** A bell rings while the owner begins to wait: it does not wait. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost, or the ring.")
    @State
    public static class RungWhileWaiting {
        private final Loop loop = new Loop(true);
        private final Bells.Bell<Object> bell = new Bells.Bell<>("owner");

        /** A thread that posts. */
        @Actor
        public void ring() {
            loop.bells.ring(bell);
            loop.waiting.signal();
        }

        /** The owner. */
        @Actor
        public void await(ZI_Result result) {
            result.r1 = loop.waitsTooLong();
        }

        /** The owner, later. */
        @Arbiter
        public void take(ZI_Result result) {
            result.r2 = loop.bells.takeAll() == null ? 0 : 1;
        }
    }

    /** The owner is asked to stop waiting while it begins to. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The wake-up was lost.")
    @State
    public static class WakeupWhileWaiting {
        private final Loop loop = new Loop(true);

        /** Any thread. */
        @Actor
        public void wakeup() {
            loop.waiting.wakeup();
        }

        /** The owner. */
        @Actor
        public void await(Z_Result result) {
            result.r1 = loop.waitsTooLong();
        }
    }
}
