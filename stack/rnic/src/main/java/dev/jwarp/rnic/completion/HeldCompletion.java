package dev.jwarp.rnic.completion;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.Deferring;
import org.jspecify.annotations.Nullable;

/**
 * Holds the newest completion of a work queue until the slot of its work request is free, so that a program that takes
 * the completion can post another request at once. Only the thread that completes requests of that queue uses this
 * object.
 */
public final class HeldCompletion {
    private final RnicCompletionQueue queue;

    /** Delivers to the program's handler; null before the first delivery. */
    private AfterCalls.@Nullable Task delivery;

    private @Nullable Completion completion;
    private boolean published;
    private boolean ended;

    public HeldCompletion(RnicCompletionQueue queue) {
        this.queue = queue;
    }

    private static final class DeliveryTask extends AfterCalls.Task {
        private final RnicCompletionQueue queue;

        DeliveryTask(RnicCompletionQueue queue) {
            this.queue = queue;
        }

        @Override
        protected void run() {
            queue.deliver();
        }
    }

    /** If completions were published and the queue has a handler, delivers them after the current call of the owner. */
    public void deliver(Deferring owner) {
        if (!published) {
            return;
        }
        published = false;
        if (delivery == null && queue.delivers()) {
            delivery = new DeliveryTask(queue);
        }
        if (delivery != null) {
            owner.afterCall(delivery);
        }
    }

    /** Publishes the held completion, then {@code entry}, which is not held. */
    public void publish(Completion entry) {
        release();
        published = true;
        queue.publish(entry);
    }

    /** Holds {@code newest}, and publishes the completion held before, whose slot is free by now. */
    public void hold(Completion newest) {
        if (ended) {
            throw new IllegalStateException("a work request completes after its stream is over: a bug of jwarp");
        }
        release();
        completion = newest;
    }

    /** The slot is free: publishes the held completion. */
    public void release() {
        Completion held = completion;
        if (held != null) {
            completion = null;
            published = true;
            queue.publish(held);
        }
    }

    /** Publishes the last completion; none may follow. */
    public void end() {
        release();
        ended = true;
    }
}
