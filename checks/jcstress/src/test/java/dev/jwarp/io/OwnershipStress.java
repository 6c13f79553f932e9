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

/** {@link Ownership} and {@link Waiting}, used together as in the inline loops. */
public final class OwnershipStress {
    private static final long LONG_SECONDS = 180;

    private OwnershipStress() {}

    /** A loop without sockets. */
    private static final class Loop implements Ownership.Owned {
        final Ownership ownership = new Ownership(this);
        final Bells<Object> bells = new Bells<>();

        /** In place of a selector: a wake-up ends the present wait, or else the next one. */
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
            throw new IllegalStateException("a task of this test failed", cause);
        }

        /** Returns false if the exception for a second polling thread was thrown. */
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

        /** Returns whether the wait timed out. */
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

    /** Two threads leave tasks that run without a poll, as after the close of a transport. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both tasks ran, one after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A task was lost, or two ran at the same time.")
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

        /** Checks the result. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One thread leaves a task while the other polls. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and no exception.")
    @Outcome(
            expect = Expect.FORBIDDEN,
            desc = "A task was lost, two owners at a time, or a false exception for a second polling thread.")
    @State
    public static class NoteAndPoll {
        private final Loop loop = new Loop(false);
        private int count;
        private int told;

        /** A loop that was polled before. */
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

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = count;
            result.r2 = told;
        }
    }

    /** One thread waits until its task has run, the other one leaves a task. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "Run before the call returned.")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Both have run.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Not run when the call returned, or two at the same time.")
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

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r2 = count;
        }
    }

    /** Two threads wait until their tasks have run, and no thread polls. */
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

        /** Checks the result. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One thread leaves a task that needs a poll, and waits for another task, while the other thread polls. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and no exception.")
    @Outcome(
            expect = Expect.FORBIDDEN,
            desc = "A task was lost, two owners at a time, or a false exception for a second polling thread.")
    @State
    public static class WaitAndPoll {
        private final Loop loop = new Loop(true);
        private int count;
        private int told;

        /** One thread. */
        @Actor
        public void executeAndWait() {
            loop.ownership.note(() -> count++);
            Thread.currentThread().interrupt(); // so that the thread spins instead of parking
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

    /** One thread leaves a task that needs a poll, while the other closes the loop, which is not polled any more. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The task ran once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The task was lost, or ran twice.")
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

        /** Checks the result. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** A task is left while the owner begins to wait: the owner does not sleep. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The wake-up or the task was lost.")
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

    /** A bell is rung while the owner begins to wait: the owner does not sleep. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The wake-up or the ring was lost.")
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

        /** The owner, after both. */
        @Arbiter
        public void take(ZI_Result result) {
            result.r2 = loop.bells.takeAll() == null ? 0 : 1;
        }
    }

    /** A wake-up comes while the owner begins to wait. */
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
