package dev.jwarp.vectors;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Runs each task of a test on a daemon thread of its own. The common pool may have one thread only (on two processors, from
 * JDK 25 on): there a task that waits holds up all others.
 */
public final class OwnThread implements Executor {
    /**
     * How long a test waits for what has to come before it gives up. On a busy machine any thread may stop for seconds; only a test that fails waits for so long. JUnit's own limit of
     * a test is longer.
     */
    public static final Duration PATIENCE = Duration.ofMinutes(5);

    /** For {@code CompletableFuture}'s methods. */
    public static final Executor EACH = new OwnThread();

    private OwnThread() {}

    @Override
    public void execute(Runnable task) {
        Thread thread = new Thread(task, "test-task");
        thread.setDaemon(true);
        thread.start();
    }
}
