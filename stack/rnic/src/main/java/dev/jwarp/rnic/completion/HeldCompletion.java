package dev.jwarp.rnic.completion;

import org.jspecify.annotations.Nullable;

/**
 * The newest completion of one work queue, kept back until the slot of its work request is free: a program that takes a completion
 * may post another request at once. It belongs to the one thread that completes requests of that queue now, and to no other
 * once that is over.
 */
public final class HeldCompletion {
    private final RnicCompletionQueue queue;
    private @Nullable Completion completion;
    private boolean ended;

    public HeldCompletion(RnicCompletionQueue queue) {
        this.queue = queue;
    }

    /** Keeps back {@code newest}; the one before it, whose slot is free by now, goes out. */
    public void hold(Completion newest) {
        if (ended) {
            throw new IllegalStateException("a work request completes after its stream is over: a bug of jwarp");
        }
        release();
        completion = newest;
    }

    /** The slot is free. */
    public void release() {
        Completion held = completion;
        if (held != null) {
            completion = null;
            queue.publish(held);
        }
    }

    /** The last one goes out; none follows. */
    public void end() {
        release();
        ended = true;
    }
}
