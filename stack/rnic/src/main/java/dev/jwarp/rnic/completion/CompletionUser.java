package dev.jwarp.rnic.completion;

/** A queue pair as the completion queues see it that it reports to. Any thread. */
public interface CompletionUser {
    /** {@return its number} */
    int number();

    /** {@return how many of its own work requests that report to {@code queue} can be outstanding without a place set aside} */
    int mostOn(RnicCompletionQueue queue);

    /** {@return whether it sets a place aside for each completion to come: {@link RnicCompletionQueue#reserve}} */
    boolean reserves();

    /** The queue lost completions of it: it has to fail, for this reason. */
    void failLocally(String reason);

    /** The program's handler threw at completions of it: it has to fail, for this reason. */
    void handlerFailed(String reason);

    /** There is room again, after {@link RnicCompletionQueue#reserve} had refused some. */
    void roomAgain();
}
