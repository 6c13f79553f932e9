package dev.jwarp.transport.udp.nio;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who may touch the ports: one thread at a time, whoever polls, or, while nobody does, whoever left a note. A note is run
 * by its author at once if nobody is the owner, else by the owner before it leaves; so none stays, and nobody waits who does
 * not want to. Any thread.
 */
final class Ownership {
    private static final long PATIENCE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
    private final ConcurrentLinkedQueue<Runnable> notes = new ConcurrentLinkedQueue<>();
    private final Runnable wakeup;
    private final Runnable afterNotes;
    private final Consumer<Throwable> failed;
    /** Whether the owner is a poller: written by owners only, so no poll pays for a fence of its own. */
    private final AtomicBoolean polled = new AtomicBoolean();

    /**
     * Nobody owns anything yet.
     *
     * @param wakeup makes an owner who waits look for notes; any thread
     * @param afterNotes is run by an owner that ran notes and does nothing else
     * @param failed hears of what a note threw
     */
    Ownership(Runnable wakeup, Runnable afterNotes, Consumer<Throwable> failed) {
        this.wakeup = wakeup;
        this.afterNotes = afterNotes;
        this.failed = failed;
    }

    boolean isMine() {
        return owner.get() == Thread.currentThread();
    }

    /** {@return false if the caller is the owner already: a call from within a callback} For those who poll. */
    boolean enter() {
        Thread caller = Thread.currentThread();
        while (!owner.compareAndSet(null, caller)) {
            if (owner.get() == caller) {
                return false;
            }
            if (polled.getOpaque()) {
                throw new IllegalStateException("two threads poll one transport: only one may at a time");
            }
            Thread.onSpinWait(); // somebody runs a note
        }
        polled.setOpaque(true);
        return true;
    }

    void leave() {
        polled.setOpaque(false);
        owner.set(null);
        runNotesIfFree();
    }

    /** Has a task run by the owner; at once if that is the caller, or if there is none. */
    void execute(Runnable task) {
        if (isMine()) {
            task.run();
            return;
        }
        notes.add(task);
        runNotesIfFree();
        wakeup.run();
    }

    /** The same, and back when it has been run; what it throws is thrown here. */
    void executeAndWait(Runnable task) {
        Thread caller = Thread.currentThread();
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        execute(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                thrown.set(e);
            } finally {
                done.set(true);
                LockSupport.unpark(caller);
            }
        });
        while (!done.get()) {
            LockSupport.parkNanos(PATIENCE_NANOS);
        }
        Throwable problem = thrown.get();
        if (problem instanceof Error error) {
            throw error;
        } else if (problem instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private void runNotesIfFree() {
        while (!notes.isEmpty() && owner.compareAndSet(null, Thread.currentThread())) {
            try {
                if (runNotes()) {
                    afterNotes.run();
                }
            } finally {
                owner.set(null);
            }
        }
    }

    boolean hasNotes() {
        return !notes.isEmpty();
    }

    /** What one note throws must not keep the others from being run, nor end whoever polls. */
    private void run(Runnable note) {
        try {
            note.run();
        } catch (Throwable e) {
            failed.accept(e);
        }
    }

    /** Owner only. */
    boolean runNotes() {
        boolean did = false;
        for (Runnable note = notes.poll(); note != null; note = notes.poll()) {
            run(note);
            did = true;
        }
        return did;
    }
}
