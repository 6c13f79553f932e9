package dev.jwarp.ddp.llp;

import org.jspecify.annotations.Nullable;

/**
 * What an owner does as soon as it is out of the call of an engine that is under way, and before it looks for output: calls of the
 * program's own code, which may do what it likes then. In the order in which it was asked for; the links are in the tasks, so
 * nothing is allocated. Owner only.
 */
public final class AfterCalls {
    /** Something to do; it waits in one list at most, once. */
    public abstract static class Task {
        @Nullable
        Task next;

        boolean waits;

        /** Waits in no list. */
        protected Task() {}

        /** Does it; throws nothing. */
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

    /** Adds one behind the others; nothing if it waits already. */
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

    /** {@return whether there is none} */
    public boolean isEmpty() {
        return first == null;
    }

    /**
     * Does what is there. What comes meanwhile stays for the next time, so that a task that has itself done again and again keeps
     * nothing else waiting. Within such a task it does nothing.
     *
     * @return whether there was anything
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
            task.waits = false; // before it runs: what comes from now on wants it once more
        }
        return task;
    }
}
