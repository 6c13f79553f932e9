package dev.jwarp.llp;

import org.jspecify.annotations.Nullable;

/**
 * Tasks that an owner runs right after its current call of an engine, before it checks for output: calls of the
 * program's code, which has no restrictions then. In insertion order; the links are in the tasks, so nothing is
 * allocated. Owner only.
 */
public final class AfterCalls {
    /** A task; it is in at most one list, at most once. */
    public abstract static class Task {
        @Nullable
        Task next;

        boolean waits;

        /** Creates a task outside of any list. */
        protected Task() {}

        /** Runs the task; throws nothing. */
        protected abstract void run();
    }

    private static final class Plain extends Task {
        private final Runnable what;

        Plain(Runnable what) {
            this.what = what;
        }

        @Override
        protected void run() {
            what.run();
        }
    }

    private @Nullable Task first;
    private @Nullable Task last;
    private boolean running;

    /** Creates an empty list. */
    public AfterCalls() {}

    /** Appends a task; no effect if the task is in the list already. */
    public void add(Task task) {
        if (task.waits) {
            return;
        }
        task.waits = true;
        Task before = last;
        if (before == null) {
            first = task;
        } else {
            before.next = task;
        }
        last = task;
    }

    /** As {@link #add(Task)}; allocates. */
    public void add(Runnable what) {
        add(new Plain(what));
    }

    /** {@return whether the list is empty} */
    public boolean isEmpty() {
        return first == null;
    }

    /**
     * Runs the tasks of the list. Tasks added meanwhile stay for the next call, so that a task that adds itself again
     * does not keep others waiting. No effect within such a task.
     *
     * @return whether there were tasks
     */
    public boolean run() {
        Task end = last;
        if (end == null || running) {
            return false;
        }
        running = true;
        try {
            boolean more = true;
            for (Task task = poll(); task != null; task = more ? poll() : null) {
                more = task != end;
                task.run();
            }
        } finally {
            running = false;
        }
        return true;
    }

    private @Nullable Task poll() {
        Task task = first;
        if (task != null) {
            first = task.next;
            last = first == null ? null : last;
            task.next = null;
            task.waits = false; // before the run: a later add must run it once more
        }
        return task;
    }
}
