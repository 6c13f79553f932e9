package dev.jwarp.rnic;

/** A queue pair as the completion queues see it that it reports to. Any thread. */
interface CompletionUser {
    /** {@return its number} */
    int number();

    /** The queue lost completions of it: it has to fail, for this reason. */
    void failLocally(String reason);

    /** There is room again, after {@link RnicCompletionQueue#reserve} had refused some. */
    void roomAgain();
}
