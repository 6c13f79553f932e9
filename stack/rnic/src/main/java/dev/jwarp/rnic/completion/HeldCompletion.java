package dev.jwarp.rnic.completion;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.Deferring;
import org.jspecify.annotations.Nullable;

/**
 * The newest completion of one work queue, kept back until the slot of its work request is free: a program that takes a completion
 * may post another request at once. It belongs to the one thread that completes requests of that queue now, and to no other
 * once that is over.
 */
public final class HeldCompletion {
    private final RnicCompletionQueue queue;

    /** Hands over to the program's handler; made when there is one. */
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

    /** Has what has gone out handed to the program's handler, if there is one, when the owner is out of its call. */
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

    /** A completion that need not be kept back, behind the one that is. */
    public void publish(Completion entry) {
        release();
        published = true;
        queue.publish(entry);
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
            published = true;
            queue.publish(held);
        }
    }

    /** The last one goes out; none follows. */
    public void end() {
        release();
        ended = true;
    }
}
