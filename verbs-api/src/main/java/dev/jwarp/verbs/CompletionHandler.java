package dev.jwarp.verbs;

/** Receives completions in place of polling: see {@link CompletionQueue#onCompletion}. */
@FunctionalInterface
public interface CompletionHandler {
    /**
     * Handles completions. Must not block. May post, and may make calls that do not wait.
     *
     * @param queue the completion queue
     * @param completions owned by the queue: valid only during this call, together with their validity maps
     * @param count number of completions from index 0 on, at least 1
     */
    void onCompletions(CompletionQueue queue, WorkCompletion[] completions, int count);
}
