package dev.jwarp.tools.link;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What was taken on the way to something whole. It is given back, the last first, unless the whole came about: so nothing stays
 * behind where a step fails, with an Error too. One thread.
 *
 * <pre>{@code
 *   try (Rollback taken = new Rollback()) {
 *       domain = context.allocateProtectionDomain();
 *       taken.add(domain::close);
 *       completions = context.createCompletionQueue(16);
 *       taken.keep();
 *   }
 * }</pre>
 */
public final class Rollback implements AutoCloseable {
    private final Deque<Runnable> back = new ArrayDeque<>();

    /** Nothing was taken yet. */
    public Rollback() {}

    /** Something was taken, and this is how it is given back. */
    public void add(Runnable givesBack) {
        back.push(givesBack);
    }

    /** All is there: it is kept. */
    public void keep() {
        back.clear();
    }

    /** What throws while it is given back does not keep the rest from it. */
    @Override
    @SuppressWarnings("try") // the rest is there to be closed
    public void close() {
        Runnable last = back.poll();
        if (last != null) {
            try (Rollback rest = this) {
                last.run();
            }
        }
    }
}
