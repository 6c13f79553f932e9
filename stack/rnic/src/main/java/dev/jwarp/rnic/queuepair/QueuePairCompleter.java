package dev.jwarp.rnic.queuepair;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.core.QueuePairCounts;
import dev.jwarp.verbs.WorkCompletionOpcode;

/** Turns finished operations of one queue pair into completions, and counts them. */
public abstract class QueuePairCompleter {
    private final int queuePairNumber;

    /** Place of the queue pair in {@link CompletionQueues}. Changes only while nothing can complete. */
    private int place = CompletionQueues.NOWHERE;

    protected final RnicCompletionQueue sendCompletions;
    protected final RnicCompletionQueue receiveCompletions;
    protected final QueuePairCounts counts = new QueuePairCounts();

    protected QueuePairCompleter(
            int queuePairNumber, RnicCompletionQueue sendCompletions, RnicCompletionQueue receiveCompletions) {
        this.queuePairNumber = queuePairNumber;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
    }

    public final int queuePairNumber() {
        return queuePairNumber;
    }

    public final RnicCompletionQueue sendCompletions() {
        return sendCompletions;
    }

    public final RnicCompletionQueue receiveCompletions() {
        return receiveCompletions;
    }

    public final QueuePairCounts counts() {
        return counts;
    }

    public final int place() {
        return place;
    }

    /** Sets the place of the queue pair in {@link CompletionQueues}. */
    public final void place(int at) {
        place = at;
    }

    /** Fills a completion of this queue pair. */
    protected final void fill(
            Completion entry, long id, OperationStatus status, WorkCompletionOpcode opcode, int length) {
        entry.fill(id, Completion.status(status), opcode, length, queuePairNumber);
        entry.place(place);
    }
}
