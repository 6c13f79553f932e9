package dev.jwarp.tools.link;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Releases resources if a later step of a set-up fails, also by an Error. The last acquired resource is released first.
 * After success {@link #keep} keeps them all. One thread.
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

    /** Made without resources. */
    public Rollback() {}

    /** Adds an acquired resource, as the action that releases it. */
    public void add(Runnable givesBack) {
        back.push(givesBack);
    }

    /** Keeps all resources: the set-up has succeeded. */
    public void keep() {
        back.clear();
    }

    /** Releases all resources, even if releasing one of them throws. */
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
