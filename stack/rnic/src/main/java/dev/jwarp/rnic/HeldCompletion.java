package dev.jwarp.rnic;

import org.jspecify.annotations.Nullable;

/**
 * The newest completion of one work queue, kept back until the slot of its work request is free: who takes a completion
 * may post another request at once. Owner of the stream; without a stream, whoever holds the queue's lock.
 */
final class HeldCompletion {
    private final RnicCompletionQueue queue;
    private @Nullable Completion completion;
    private boolean solicited;

    HeldCompletion(RnicCompletionQueue queue) {
        this.queue = queue;
    }

    /** Keeps back {@code newest}; the one before it, whose slot is free by now, goes out. */
    void hold(Completion newest, boolean satisfiesSolicited) {
        release();
        completion = newest;
        solicited = satisfiesSolicited;
    }

    /** The slot is free. */
    void release() {
        Completion held = completion;
        if (held != null) {
            completion = null;
            queue.publish(held, solicited);
        }
    }
}
