package dev.jwarp.tools.cli;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Sentences about what strangers do: all are wanted, but not all that strangers can make a command say. One a second is said. Any thread. */
public final class SparseNotes {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final Consumer<String> notes;
    private final LongSupplier nanoTime;
    private long saidAt;
    private long unsaid;

    /**
     * None is said yet.
     *
     * @param notes takes what is said
     * @param nanoTime a clock
     */
    public SparseNotes(Consumer<String> notes, LongSupplier nanoTime) {
        this.notes = notes;
        this.nanoTime = nanoTime;
        saidAt = nanoTime.getAsLong() - PAUSE_NANOS;
    }

    /** Says it, or counts it: the next one that is said has the number. */
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
