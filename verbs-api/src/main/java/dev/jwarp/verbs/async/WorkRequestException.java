package dev.jwarp.verbs.async;

import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;

/**
 * A work request was not carried out: what its future of {@link AsyncQueuePair} ends with. The message is {@link
 * WorkCompletion#describe}. It has no stack trace, as it is made where completions are handed over.
 */
public final class WorkRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient WorkCompletion completion;
    /** Why the request was not carried out. */
    private final WorkCompletionStatus status;

    /**
     * Makes one.
     *
     * @param completion how the work request ended; this exception's from now on
     */
    public WorkRequestException(WorkCompletion completion) {
        super(RdmaException.requireArgument(completion, "completion").describe(), null, false, false);
        this.completion = completion;
        status = completion.status();
    }

    /** {@return how the work request ended} */
    public WorkCompletionStatus status() {
        return status;
    }

    /** {@return the whole completion} */
    public WorkCompletion completion() {
        return completion;
    }
}
