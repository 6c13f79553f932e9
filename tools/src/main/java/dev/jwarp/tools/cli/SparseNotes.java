package dev.jwarp.tools.cli;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Limits notes that unauthenticated peers can provoke to one a second, and counts the others. Any thread. */
public final class SparseNotes {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final Consumer<String> notes;
    private final LongSupplier nanoTime;
    private long saidAt;
    private long unsaid;

    /**
     * Made without notes.
     *
     * @param notes prints a note
     * @param nanoTime a clock
     */
    public SparseNotes(Consumer<String> notes, LongSupplier nanoTime) {
        this.notes = notes;
        this.nanoTime = nanoTime;
        saidAt = nanoTime.getAsLong() - PAUSE_NANOS;
    }

    /** Prints the note, or counts it. The next printed note ends with the number of counted notes. */
    public synchronized void say(String sentence) {
        long now = nanoTime.getAsLong();
        if (now - saidAt < PAUSE_NANOS) {
            unsaid++;
            return;
        }
        notes.accept(sentence + (unsaid == 0 ? "" : " (and " + unsaid + " more failures)"));
        saidAt = now;
        unsaid = 0;
    }
}
