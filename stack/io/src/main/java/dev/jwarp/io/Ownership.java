package dev.jwarp.io;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Who may touch what a loop moves: one thread at a time, the owner. A caller of {@code poll} or {@code await} is the
 * owner until it returns. Others leave notes for the owner. Where there is no owner, the author of a note becomes the owner until
 * the note has run, unless notes of this transport wait for a poll. So each note is run once, and its author waits only if it wants
 * to. Any thread.
 */
public final class Ownership {
    private static final long PATIENCE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** What is owned. */
    public interface Owned {
        /** {@return whether notes wait for a poll where there is no owner} No longer once no poll will come. Any thread. */
        boolean notesWaitForPoll();

        /** A note was left: an owner that waits is woken, to look for it. Any thread. */
        void onNote();

        /** As {@link #onNote}, but a thread waits for this note: any wait of the owner must end. Any thread; several times a note. */
        default void onUrgentNote() {
            onNote();
        }

        /** The owner has run notes, and will do nothing else. */
        void afterNotes();

        /** A note threw that. The owner. */
        void noteFailed(Throwable cause);
    }

    private final Owned owned;
    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
    private final ConcurrentLinkedQueue<Runnable> notes = new ConcurrentLinkedQueue<>();

    /** Whether the owner polls: written by owners alone, before the next one can be there, so no poll pays for a fence of its own. */
    private final AtomicBoolean polled = new AtomicBoolean();

    /** There is no owner yet. */
    public Ownership(Owned owned) {
        this.owned = owned;
    }

    /** {@return whether the caller is the owner} */
    public boolean isMine() {
        return owner.get() == Thread.currentThread();
    }

    // ---- those who poll

    /**
     * Becomes the owner; waits for a thread that runs notes.
     *
     * @return false if the caller is the owner already: a call from within a callback
     * @throws IllegalStateException if another thread polls
     */
    public boolean enter() {
        Thread caller = Thread.currentThread();
        while (!owner.compareAndSet(null, caller)) {
            if (owner.get() == caller) {
                return false;
            }
            if (polled.getOpaque()) {
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

    // ---- those who want something of the owner

    /** Leaves a task for the owner, also if that is the caller: it is not run within what the caller does just now. */
    public void note(Runnable task) {
        notes.add(task);
        runNotesIfFree();
        owned.onNote();
    }

    /** The same, but it runs at once if the caller is the owner. */
    public void execute(Runnable task) {
        if (isMine()) {
            task.run();
        } else {
            note(task);
        }
    }

    /** Runs a task as the owner if there is no other; else leaves it for the owner. */
    public void executeOrNote(Runnable task) {
        if (owner.compareAndSet(null, Thread.currentThread())) {
            runAndRelease(() -> run(task));
        } else {
            note(task);
        }
    }

    /**
     * Runs a task as the owner and returns when it has run; waits for no poll. What it throws is thrown here. Notes that wait for a
     * poll may run after it.
     */
    public void executeAndWait(Runnable task) {
        if (isMine()) {
            task.run();
        } else if (owner.compareAndSet(null, Thread.currentThread())) {
            runAndRelease(task); // no memory is needed: what is to be closed can be closed
        } else {
            leaveAndWait(task);
        }
    }

    private void leaveAndWait(Runnable task) {
        Awaited note = new Awaited(task);
        notes.add(note);
        while (!note.done) {
            if (!owner.compareAndSet(null, Thread.currentThread())) {
                owned.onUrgentNote();
                LockSupport.parkNanos(this, PATIENCE_NANOS);
            } else if (notes.remove(note)) {
                runAndRelease(note);
            } else { // the owner before this one ran it
                release();
            }
        }
        note.throwIfFailed();
    }

    private void runAndRelease(Runnable task) {
        try {
            if (!owned.notesWaitForPoll()) {
                runNotes(); // those of this thread were left before
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
            owner.setRelease(null); // no note needs this thread: only an owner changes that, and none is here yet
        } else {
            owner.set(null);
            runNotesIfFree();
        }
    }

    /** The author of a note tries, and each owner after it has left: one of the two is the later one, and finds the note and no owner. */
    private void runNotesIfFree() {
        while (!notes.isEmpty() && !owned.notesWaitForPoll() && owner.compareAndSet(null, Thread.currentThread())) {
            try {
                if (runNotes()) {
                    owned.afterNotes();
                }
            } finally {
                owner.set(null);
            }
        }
    }

    /** {@return whether there is a note that was not run} Any thread. */
    public boolean hasNotes() {
        return !notes.isEmpty();
    }

    /** {@return whether there were notes} Runs them. Owner only. */
    public boolean runNotes() {
        boolean did = false;
        for (Runnable note = notes.poll(); note != null; note = notes.poll()) {
            run(note);
            did = true;
        }
        return did;
    }

    /** What one note throws must not keep the others from being run, nor end a poll. */
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

        /** Waits until another thread has run it, also if the caller is interrupted; throws what it threw. */
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
