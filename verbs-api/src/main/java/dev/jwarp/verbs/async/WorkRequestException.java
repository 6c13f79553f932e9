package dev.jwarp.verbs.async;

import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;

/**
 * The failure of a work request: its future from {@link AsyncQueuePair} completes with this exception. The message is
 * {@link WorkCompletion#describe}. The exception has no stack trace, because the stack of the completion handler says
 * nothing about the request.
 */
public final class WorkRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient WorkCompletion completion;
    /** The outcome of the work request. */
    private final WorkCompletionStatus status;

    /**
     * Creates the exception.
     *
     * @param completion completion of the work request; owned by the exception from now on
     */
    public WorkRequestException(WorkCompletion completion) {
        super(RdmaException.requireArgument(completion, "completion").describe(), null, false, false);
        this.completion = completion;
        status = completion.status();
    }

    /** {@return the outcome of the work request} */
    public WorkCompletionStatus status() {
        return status;
    }

    /** {@return the completion of the work request} */
    public WorkCompletion completion() {
        return completion;
    }
}
