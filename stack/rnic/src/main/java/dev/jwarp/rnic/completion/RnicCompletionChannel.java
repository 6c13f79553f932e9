package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.RnicChannel;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import java.util.function.Consumer;

/**
 * Completion queues that have something, in the order they got it. A queue that is added twice before it is taken
 * is there once: the thread that takes it polls it empty anyway.
 */
public final class RnicCompletionChannel extends RnicChannel<CompletionQueue> implements CompletionChannel {
    /** @param forget is given the channel when it is closed */
    RnicCompletionChannel(ContextCore core, Consumer<RnicChannel<CompletionQueue>> forget) {
        super(core.progression(), "completion channel", "completion queue", forget);
    }

    void notify(RnicCompletionQueue queue) {
        add(queue, true);
    }

    /** A completion queue of this channel is closed. */
    void forget(RnicCompletionQueue queue) {
        remove(queue);
        removeUser();
    }
}
