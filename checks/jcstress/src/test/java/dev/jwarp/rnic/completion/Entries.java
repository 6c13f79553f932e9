package dev.jwarp.rnic.completion;

import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;

/** Completion queues, what goes into them and what comes out. */
public final class Entries {
    private Entries() {}

    /** {@return a queue that its context does not know} */
    public static RnicCompletionQueue queue(CompletionQueues among, int capacity) {
        RnicCompletionQueue queue = new RnicCompletionQueue(among, 1, capacity, null);
        queue.prepare(false);
        return queue;
    }

    static void fill(Completion entry, long request) {
        entry.fill(request, WorkCompletionStatus.SUCCESS, WorkCompletionOpcode.RECV, (int) request, (int) request);
        entry.immediateData(request);
    }

    /** Fills an entry as the completion of a request and hands it over. */
    static void complete(RnicCompletionQueue queue, long request) {
        Completion entry = queue.claim(0);
        if (entry != null) {
            fill(entry, request);
            queue.publish(entry);
        }
    }

    /** {@return the request whose completion was there; 0 if none was} */
    public static long polled(RnicCompletionQueue queue) {
        WorkCompletion[] one = {new WorkCompletion()};
        return queue.poll(one) == 0 ? 0 : one[0].id();
    }
}
