package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.Rig;
import dev.jwarp.rnic.completion.Entries;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicMemoryWindow;
import dev.jwarp.verbs.QueuePairAttributes;

/** A queue pair for binding memory windows. */
public final class Binder {
    private final RnicQueuePair queuePair;

    /** Creates a queue pair without a connection. */
    public Binder() {
        RnicCompletionQueue completions = Entries.queue(Rig.THREADED, 1);
        queuePair = new RnicQueuePair(
                Rig.CONNECTIONS,
                Rig.DOMAIN,
                QueuePairAttributes.builder(completions).build(),
                new Completer(8, completions, completions));
    }

    /** {@return the queue pair, as windows see it} */
    public RnicMemoryWindow.User user() {
        return queuePair;
    }

    /** Posts a binding. */
    public void posted(RnicMemoryWindow.Binding binding) {
        queuePair.completer().bindingPosted(binding);
    }

    /** {@return the number of bindings that the queue pair remembers} */
    public int bindings() {
        return queuePair.completer().bindings();
    }
}
