package dev.jwarp.torture;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that do the same thing again and again, and one that watches them: what one of them throws ends all, and a
 * thread that does not come back from a step is shown with the stacks of all threads.
 *
 * <p>Threads: {@link #start}, {@link #check}, {@link #until} and {@link #close} one, the rest any.
 */
public final class Crew implements AutoCloseable {
    /** No step takes so long, also on a machine with much else to do. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

    /** What a member does again and again until the crew is over. */
    public interface Step {
        /** Does it once. */
        void run(Member me);
    }

    /** One thread. */
    public final class Member {
        private final Thread thread;
        private volatile long since = System.nanoTime();
        private volatile String doing = "nothing yet";

        private Member(String name, Step step) {
            thread = new Thread(() -> loop(step), name);
            thread.setDaemon(true);
        }

        private void loop(Step step) {
            try {
                while (!over) {
                    since = System.nanoTime();
                    step.run(this);
                }
            } catch (RuntimeException | Error e) {
                failures.add(e);
                over = true;
            }
        }

        /** Says what it does from now on, for the case that it does not come back from it. */
        public void doing(String what) {
            doing = what;
            since = System.nanoTime();
        }

        private boolean stuck() {
            return thread.isAlive() && System.nanoTime() - since > PATIENCE_NANOS;
        }
    }

    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<Member> members = new ArrayList<>();
    private volatile boolean over;

    /** Does something once in a thread that is watched, and waits for it. */
    public static void once(String name, Step step) {
        AtomicBoolean done = new AtomicBoolean();
        try (Crew crew = new Crew()) {
            crew.start(name, me -> {
                step.run(me);
                done.set(true);
                crew.over = true;
            });
            crew.until(name, done::get);
            crew.finish();
        }
    }

    /** Has a new thread do {@code step} until the crew is over. */
    public void start(String name, Step step) {
        Member member = new Member(name, step);
        members.add(member);
        member.thread.start();
    }

    /** {@return whether all are to come to an end} */
    public boolean over() {
        return over;
    }

    /** Fails if a member has failed or is stuck. */
    public void check() {
        Throwable failure = failures.peek();
        if (failure != null) {
            throw new AssertionError(failure.toString(), failure);
        }
        for (Member member : members) {
            if (member.stuck()) {
                throw new AssertionError(
                        member.thread.getName() + " does not come back from: " + member.doing + "\n" + stacks());
            }
        }
    }

    /** Waits until {@code done}; fails if that does not come, or a member fails. */
    public void until(String what, BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            check();
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new AssertionError("Waited without a result for: " + what + "\n" + stacks());
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
        }
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            text.append(thread);
            StackTraceElement[] stack = thread.getStackTrace();
            for (int i = 8; i < stack.length; i++) { // toString shows the first eight
                text.append("\tat ").append(stack[i]).append('\n');
            }
        }
        return text.toString();
    }

    /** Ends all, and waits until they have ended. */
    public void finish() {
        over = true;
        until("the threads to end", () -> members.stream().noneMatch(member -> member.thread.isAlive()));
        check();
    }

    /** Ends all; does not wait for a thread that is stuck. */
    @Override
    public void close() {
        over = true;
    }
}
