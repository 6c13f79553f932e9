package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import java.util.ArrayList;
import java.util.List;

/**
 * Completion queues that streams share. Each has entries for the work requests of {@link #STREAMS} streams. A queue is
 * made when it is needed, and is kept. Any thread.
 */
final class SharedCompletionQueues {
    /** Maximum of streams that share one queue. */
    private static final int STREAMS = 64;

    private final Context context;
    private final CompletionHandler handler;

    /** Guarded by this. */
    private final List<Shared> queues = new ArrayList<>();

    SharedCompletionQueues(Context context, CompletionHandler handler) {
        this.context = context;
        this.handler = handler;
    }

    /** A completion queue and the number of streams that use it. */
    static final class Shared {
        final CompletionQueue queue;
        private int users;

        Shared(CompletionQueue queue) {
            this.queue = queue;
        }
    }

    /** {@return a queue with entries for one more stream, which {@link #release} returns} */
    synchronized Shared acquire() {
        for (Shared shared : queues) {
            if (shared.users < STREAMS) {
                shared.users++;
                return shared;
            }
        }
        CompletionQueue queue = context.createCompletionQueue(STREAMS * StreamQueuePair.entries());
        queue.onCompletion(handler);
        Shared shared = new Shared(queue);
        shared.users = 1;
        queues.add(shared);
        return shared;
    }

    /** Frees the entries of a stream, whose queue pair must be closed. */
    synchronized void release(Shared shared) {
        shared.users--;
    }
}
