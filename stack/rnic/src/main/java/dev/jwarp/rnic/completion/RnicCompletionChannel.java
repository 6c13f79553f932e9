package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.RnicChannel;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import java.util.function.Consumer;

/**
 * A channel with the completion queues that have new completions, in that order. A queue is in the channel at most
 * once, because the thread that takes the queue polls until the queue is empty.
 */
public final class RnicCompletionChannel extends RnicChannel<CompletionQueue> implements CompletionChannel {
    /** @param forget called with the channel when it is closed */
    RnicCompletionChannel(ContextCore core, Consumer<RnicChannel<CompletionQueue>> forget) {
        super(core.progression(), "completion channel", "completion queue", forget);
    }

    void notify(RnicCompletionQueue queue) {
        add(queue, true);
    }

    /** Removes a completion queue that is closed. */
    void forget(RnicCompletionQueue queue) {
        remove(queue);
        removeUser();
    }
}
