package dev.jwarp.verbs;

/**
 * What a program does with completions as they come, instead of polling for them: see {@link CompletionQueue#onCompletion}.
 */
@FunctionalInterface
public interface CompletionHandler {
    /**
     * Completions have come. Must not block; may post, and may close what need not wait.
     *
     * @param queue where they are reported
     * @param completions belong to the queue: valid during this call only, with the validity maps in them
     * @param count how many there are, from index 0 on; at least 1
     */
    void onCompletions(CompletionQueue queue, WorkCompletion[] completions, int count);
}
