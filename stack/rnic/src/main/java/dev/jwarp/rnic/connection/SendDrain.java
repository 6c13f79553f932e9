package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.AsyncEventType;

/** Tells when all that was posted before the send queue was held has completed: the verbs' SQD. Owner only. */
final class SendDrain {
    private static final long NOT_HELD = -1;

    private final ContextCore context;
    private final RnicQueuePair queuePair;
    private long completed;
    private long drainedAt = NOT_HELD;

    /** Counts on from {@code completed} operations. */
    SendDrain(ContextCore context, RnicQueuePair queuePair, long completed) {
        this.context = context;
        this.queuePair = queuePair;
        this.completed = completed;
    }

    /** Held with {@code posted} operations posted so far, or let go on. */
    void hold(boolean hold, long posted) {
        drainedAt = hold ? posted : NOT_HELD;
        tellIfDue();
    }

    /** One more operation has completed. */
    void completed() {
        completed++;
    }

    /** All completions so far can be taken. */
    void tellIfDue() {
        if (drainedAt != NOT_HELD && completed >= drainedAt) {
            drainedAt = NOT_HELD;
            String sentence = "The send queue of " + queuePair + " is drained.";
            context.asyncEvents().add(AsyncEventType.SQ_DRAINED, queuePair, sentence);
        }
    }
}
