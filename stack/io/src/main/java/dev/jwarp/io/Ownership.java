package dev.jwarp.io;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive ownership of the state of a loop. A caller of {@code poll} or {@code await} is the owner until it
 * returns. Other threads leave notes, which are tasks for the owner. Without an owner, the author of a note becomes the
 * owner until the note has run, unless notes of this transport wait for a poll. So each note runs once, and its author
 * waits only on request. Any thread.
 */
public final class Ownership {
    private static final long PATIENCE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** The owned object. */
    public interface Owned {
        /** {@return whether notes wait for a poll if there is no owner} False once no poll will follow. Any thread. */
        boolean notesWaitForPoll();

        /** A note was left: wakes a waiting owner. Any thread. */
        void onNote();

        /**
         * As {@link #onNote}, but a thread waits for this note, so any wait of the owner must end. Any thread; several
         * times per note.
         */
        default void onUrgentNote() {
            onNote();
        }

        /** The owner has run notes and does nothing else. */
        void afterNotes();

        /** A note threw an exception. Called by the owner. */
        void noteFailed(Throwable cause);
    }

    private final Owned owned;
    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
    private final ConcurrentLinkedQueue<Runnable> notes = new ConcurrentLinkedQueue<>();

    /**
     * Whether the owner polls. Only owners write it, before the next owner exists, so a poll needs no fence of its own.
     */
    private final AtomicBoolean polled = new AtomicBoolean();

    /** The only thread that may become the owner; null for any thread. */
    private @Nullable Thread only;

    /** Creates an object without an owner. */
    public Ownership(Owned owned) {
        this.owned = owned;
    }

    /**
     * From now on only the calling thread becomes the owner, without a locked instruction; notes of other threads wait
     * for that thread. When that thread has ended, or notes do not wait for a poll, any thread can become the owner.
     * Before any other use.
     */
    public void useOnlyHere() {
        only = Thread.currentThread();
    }

    /** {@return whether the caller is the only thread that may become the owner} Any thread. */
    public boolean isOnlyHere() {
        return only == Thread.currentThread();
    }

    /** {@return whether the caller became the owner} False if there is an owner, even the caller. */
    private boolean take() {
        Thread caller = Thread.currentThread();
        if (only == null || !owned.notesWaitForPoll()) {
            return owner.compareAndSet(null, caller);
        }
        if (only != caller) {
            return !only.isAlive() && owner.compareAndSet(null, caller);
        }
        if (owner.getPlain() != null) {
            return false;
        }
        owner.setPlain(caller); // other threads only compare it with themselves
        return true;
    }

    /** {@return whether the caller is the owner} */
    public boolean isMine() {
        return owner.get() == Thread.currentThread();
    }

    // ---- polling threads

    /**
     * Becomes the owner; waits while another thread runs notes.
     *
     * @return false if the caller is the owner already, because the call comes from a callback
     * @throws IllegalStateException if another thread polls
     */
    public boolean enter() {
        Thread caller = Thread.currentThread();
        while (!take()) {
            if (owner.get() == caller) {
                return false;
            }
            if (polled.getOpaque() || (only != null && only != caller)) {
                throw new IllegalStateException("two threads poll one transport: only one may at a time");
            }
            Thread.onSpinWait(); // the owner runs notes
        }
        polled.setOpaque(true);
        return true;
    }

    /** Ends what {@link #enter} began. */
    public void leave() {
        polled.setOpaque(false);
        release();
    }

    // ---- notes for the owner

    /**
     * Leaves a task for the owner, even if the caller is the owner: the task does not run within the caller's current
     * work.
     */
    public void note(Runnable task) {
        notes.add(task);
        runNotesIfFree();
        owned.onNote();
    }

    /** As {@link #note}, but the task runs at once if the caller is the owner. */
    public void execute(Runnable task) {
        if (isMine()) {
            task.run();
        } else {
            note(task);
        }
    }

    /** Runs a task as the owner if there is no owner and no note waits; otherwise leaves the task for the owner. */
    public void executeOrNote(Runnable task) {
        // A waiting note runs first, because tasks of one author run in their order.
        if (notes.isEmpty() && take()) {
            runAndRelease(() -> run(task));
        } else {
            note(task);
        }
    }

    /**
     * Runs a task as the owner and returns when it has run, without waiting for a poll. Exceptions of the task are
     * thrown here. Notes that wait for a poll may run after the task.
     */
    public void executeAndWait(Runnable task) {
        if (isMine()) {
            task.run();
        } else if (take()) {
            runAndRelease(task); // needs no memory, so that closing always works
        } else {
            leaveAndWait(task);
        }
    }

    private void leaveAndWait(Runnable task) {
        Awaited note = new Awaited(task);
        notes.add(note);
        while (!note.done) {
            if (!take()) {
                owned.onUrgentNote();
                LockSupport.parkNanos(this, PATIENCE_NANOS);
            } else if (notes.remove(note)) {
                runAndRelease(note);
            } else { // the previous owner ran it
                release();
            }
        }
        note.throwIfFailed();
    }

    private void runAndRelease(Runnable task) {
        try {
            if (!owned.notesWaitForPoll()) {
                runNotes(); // notes of this thread were left earlier
            }
            task.run();
        } finally {
            try {
                owned.afterNotes();
            } finally {
                release();
            }
        }
    }

    private void release() {
        if (owned.notesWaitForPoll()) {
            owner.setRelease(null); // no note needs this thread; only an owner changes that, and there is none yet
        } else {
            owner.set(null);
            runNotesIfFree();
        }
    }

    /**
     * Called by the author of a note, and by each owner after it has left. The later of the two finds the note and no
     * owner.
     */
    private void runNotesIfFree() {
        while (!notes.isEmpty() && !owned.notesWaitForPoll() && take()) {
            try {
                if (runNotes()) {
                    owned.afterNotes();
                }
            } finally {
                owner.set(null);
            }
        }
    }

    /** {@return whether there is a pending note} Any thread. */
    public boolean hasNotes() {
        return !notes.isEmpty();
    }

    /** {@return whether there were notes} Runs all notes. Owner only. */
    public boolean runNotes() {
        boolean did = false;
        for (Runnable note = notes.poll(); note != null; note = notes.poll()) {
            run(note);
            did = true;
        }
        return did;
    }

    /** An exception of a note must not prevent the others from running, nor end a poll. */
    private void run(Runnable note) {
        try {
            note.run();
        } catch (Throwable e) {
            owned.noteFailed(e);
        }
    }

    /** A task whose author waits until it has run. */
    static final class Awaited implements Runnable {
        private final Runnable task;
        private final Thread author = Thread.currentThread();
        private @Nullable Throwable thrown;
        private volatile boolean done;

        Awaited(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            try {
                task.run();
            } catch (Throwable e) {
                thrown = e;
            } finally {
                done = true;
                LockSupport.unpark(author);
            }
        }

        /**
         * Waits until another thread has run the task, even if the caller is interrupted; throws the exception of the
         * task.
         */
        void awaitDone() {
            boolean interrupted = false;
            while (!done) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            throwIfFailed();
        }

        private void throwIfFailed() {
            if (thrown instanceof Error error) {
                throw error;
            } else if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }
}
