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
 * Threads that repeat a step, and a watching thread: an exception of one thread ends all, and a thread that hangs in a
 * step is reported with the stacks of all threads.
 *
 * <p>Threads: {@link #start}, {@link #check}, {@link #until} and {@link #close} one, the rest any.
 */
public final class Crew implements AutoCloseable {
    /** Longer than any step takes, even on a busy machine. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

    /** The step that a member repeats until the crew ends. */
    public interface Step {
        /** Runs the step once. */
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

        /** Sets a description of the present action, for the report of a hang. */
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

    /** Runs a step once in a watched thread, and waits for it. */
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

    /** Starts a thread that repeats {@code step} until the crew ends. */
    public void start(String name, Step step) {
        Member member = new Member(name, step);
        members.add(member);
        member.thread.start();
    }

    /** {@return whether the threads are to end} */
    public boolean over() {
        return over;
    }

    /** Fails if a member has failed or hangs. */
    public void check() {
        Throwable failure = failures.peek();
        if (failure != null) {
            throw new AssertionError(failure.toString(), failure);
        }
        for (Member member : members) {
            if (member.stuck()) {
                throw new AssertionError(member.thread.getName() + " hangs in: " + member.doing + "\n" + stacks());
            }
        }
    }

    /** Waits until {@code done}; fails after a timeout, or if a member fails. */
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

    /** Ends all threads, and waits for their end. */
    public void finish() {
        over = true;
        until("the threads to end", () -> members.stream().noneMatch(member -> member.thread.isAlive()));
        check();
    }

    /** Ends all threads; does not wait for a thread that hangs. */
    @Override
    public void close() {
        over = true;
    }
}
