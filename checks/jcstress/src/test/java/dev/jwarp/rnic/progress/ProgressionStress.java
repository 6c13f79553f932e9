package dev.jwarp.rnic.progress;

import dev.jwarp.llp.Progressing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * {@link Waiters} and both kinds of {@link Progression}: every waiting thread is woken. A lost wake-up would be an
 * endless wait; here the wait has a timeout that is long enough for a busy machine.
 */
public final class ProgressionStress {
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(4);
    private static final long TOO_LONG_NANOS = LONG_NANOS / 2;

    private ProgressionStress() {}

    /** A condition that becomes true by the weakest write of real conditions. */
    private static final class Gate implements Waitable {
        private static final VarHandle OPEN;

        static {
            try {
                OPEN = MethodHandles.lookup().findVarHandle(Gate.class, "open", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Waiters waiters;

        @SuppressWarnings("unused") // through OPEN
        private boolean open;

        Gate(Waiters waiters) {
            this.waiters = waiters;
        }

        void open() {
            OPEN.setRelease(this, true);
        }

        @Override
        public boolean ready() {
            return (boolean) OPEN.getAcquire(this);
        }

        @Override
        public Waiters waiters() {
            return waiters;
        }
    }

    private static boolean waitsTooLong(Progression progression, Gate gate) {
        long start = System.nanoTime();
        boolean ready = progression.await(gate, LONG_NANOS);
        return !ready || System.nanoTime() - start > TOO_LONG_NANOS;
    }

    /** One thread is about to sleep, the other one makes a change: at least one sees the other. */
    @JCStressTest
    @Outcome(
            id = {"true, true", "true, false", "false, true"},
            expect = Expect.ACCEPTABLE,
            desc = "The change or the sleeper was seen.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The thread sleeps and is not woken.")
    @State
    public static class Seen {
        private final Waiters waiters = new Waiters();
        private final Gate gate = new Gate(waiters);

        /** The thread that is about to sleep. */
        @Actor
        public void sleep(ZZ_Result result) {
            waiters.enter();
            result.r1 = gate.ready();
        }

        /** The thread that makes the change. */
        @Actor
        public void change(ZZ_Result result) {
            gate.open();
            VarHandle.fullFence();
            result.r2 = waiters.any();
        }
    }

    /** Threaded: the condition becomes true while a thread begins to wait. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "Woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost.")
    @State
    public static class Threaded {
        private static final Progression PROGRESSION = new ThreadedProgression(new Sleepy(), 0, System::nanoTime);

        private final Gate gate = new Gate(new Waiters());

        /** An event loop. */
        @Actor
        public void open() {
            gate.open();
            PROGRESSION.signal(gate);
        }

        /** Waits. */
        @Actor
        public void await(Z_Result result) {
            result.r1 = waitsTooLong(PROGRESSION, gate);
        }
    }

    /** Inline: the condition becomes true while a thread drives the transport, or waits for the driving thread. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "Woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost.")
    @State
    public static class Inline {
        private static final Progression PROGRESSION = new InlineProgression(new Sleepy(), System::nanoTime);

        private final Gate gate = new Gate(new Waiters());

        /** Drives for a moment, then makes the other thread's condition true. */
        @Actor
        public void pollAndOpen() {
            PROGRESSION.poll();
            gate.open();
            PROGRESSION.signal(gate);
        }

        /** Waits. */
        @Actor
        public void await(Z_Result result) {
            result.r1 = waitsTooLong(PROGRESSION, gate);
        }
    }

    /** Inline: the driving thread makes the condition of a waiting thread true. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "Woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost.")
    @State
    public static class InlineByDriver {
        private final Sleepy transport = new Sleepy();
        private final Progression progression = new InlineProgression(transport, System::nanoTime);
        private final Gate gate = new Gate(new Waiters());

        /** The first driving thread makes the condition true. */
        public InlineByDriver() {
            transport.onPoll = () -> {
                gate.open();
                progression.signal(gate);
            };
        }

        /** Drives until the condition is true. */
        @Actor
        public void drive() {
            while (!gate.ready()) {
                progression.poll();
                transport.wakeup(); // otherwise the other thread drives forever
            }
        }

        /** Waits. */
        @Actor
        public void await(Z_Result result) {
            result.r1 = waitsTooLong(progression, gate);
        }
    }

    /** Inline: two threads wait for conditions that become true in the first and the second round of driving. */
    @JCStressTest
    @Outcome(
            id = "false, false",
            expect = Expect.ACCEPTABLE,
            desc = "The driving thread has woken the other one, or handed over driving.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One thread sleeps, and none drives.")
    @State
    public static class TakenOver {
        private final Sleepy transport = new Sleepy();
        private final Progression progression = new InlineProgression(transport, System::nanoTime);
        private final Gate near = new Gate(new Waiters());
        private final Gate far = new Gate(new Waiters());
        private int rounds;

        /** The first round makes the condition of the first thread true. */
        public TakenOver() {
            transport.onAwait = () -> {
                Gate comes = rounds++ == 0 ? near : far;
                comes.open();
                progression.signal(comes);
            };
        }

        /** Waits for the first condition. */
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = waitsTooLong(progression, near);
        }

        /** Waits for the second condition. */
        @Actor
        public void second(ZZ_Result result) {
            result.r2 = waitsTooLong(progression, far);
        }
    }

    /** Inline: two threads take turns, and are never in the transport at the same time. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "One driver at a time.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Two threads were in the transport.")
    @State
    public static class OneDriver {
        private final Sleepy transport = new Sleepy();
        private final Progression progression = new InlineProgression(transport, System::nanoTime);
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean alone = true;

        /** Checks the number of drivers. */
        public OneDriver() {
            transport.onPoll = () -> {
                alone &= inside.incrementAndGet() == 1;
                inside.decrementAndGet();
            };
        }

        /** One thread. */
        @Actor
        public void first(ZZ_Result result) {
            progression.poll();
            result.r1 = alone;
        }

        /** The other. */
        @Actor
        public void second(ZZ_Result result) {
            progression.poll();
            result.r2 = alone;
        }
    }

    /** A transport without traffic: a waiting thread sleeps until it is woken, as with a selector. */
    private static final class Sleepy implements Progressing {
        private final AtomicInteger wakeups = new AtomicInteger();
        private volatile @Nullable Thread sleeper;

        @Nullable
        Runnable onPoll;

        /** Runs at a wait; null for none. */
        @Nullable
        Runnable onAwait;

        @Override
        public boolean inline() {
            return true;
        }

        @Override
        public boolean poll() {
            if (onPoll != null) {
                onPoll.run();
            }
            return false;
        }

        @Override
        public void await(long nanos) {
            if (onAwait != null) {
                onAwait.run();
                return;
            }
            sleeper = Thread.currentThread();
            long end = System.nanoTime() + Math.min(nanos, LONG_NANOS);
            while (wakeups.getAndSet(0) == 0 && System.nanoTime() < end) {
                LockSupport.parkNanos(this, end - System.nanoTime());
            }
            sleeper = null;
        }

        @Override
        public void later(Runnable task) {
            task.run();
        }

        @Override
        public boolean movedHere() {
            return false;
        }

        @Override
        public void wakeup() {
            wakeups.set(1);
            LockSupport.unpark(sleeper);
        }

        @Override
        public void close() {}
    }
}
