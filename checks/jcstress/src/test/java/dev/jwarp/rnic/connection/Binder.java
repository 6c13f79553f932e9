package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.Rig;
import dev.jwarp.rnic.completion.Entries;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicMemoryWindow;
import dev.jwarp.verbs.QueuePairAttributes;

/** A queue pair that memory windows are bound through. */
public final class Binder {
    private final RnicQueuePair queuePair;

    /** One without a connection. */
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

    /** A binding is posted to it. */
    public void posted(RnicMemoryWindow.Binding binding) {
        queuePair.completer().bindingPosted(binding);
    }

    /** {@return how many bindings it remembers} */
    public int bindings() {
        return queuePair.completer().bindings();
    }
}
