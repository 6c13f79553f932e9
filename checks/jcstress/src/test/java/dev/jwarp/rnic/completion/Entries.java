package dev.jwarp.rnic.completion;

import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;

/** Creates completion queues, adds completions and polls them. */
public final class Entries {
    private Entries() {}

    /** {@return a queue that is not registered with its context} */
    public static RnicCompletionQueue queue(CompletionQueues among, int capacity) {
        RnicCompletionQueue queue = new RnicCompletionQueue(among, 1, capacity, null);
        queue.prepare(false);
        return queue;
    }

    static void fill(Completion entry, long request) {
        entry.fill(request, WorkCompletionStatus.SUCCESS, WorkCompletionOpcode.RECV, (int) request, (int) request);
        entry.immediateData(request);
    }

    /** Adds the completion of a request. */
    static void complete(RnicCompletionQueue queue, long request) {
        Completion entry = queue.claim(0);
        if (entry != null) {
            fill(entry, request);
            queue.publish(entry);
        }
    }

    /** {@return the request of the polled completion; 0 if there was none} */
    public static long polled(RnicCompletionQueue queue) {
        WorkCompletion[] one = {new WorkCompletion()};
        return queue.poll(one) == 0 ? 0 : one[0].id();
    }
}
