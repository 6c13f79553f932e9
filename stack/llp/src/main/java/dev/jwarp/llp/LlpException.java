package dev.jwarp.llp;

/** The failure of a local call of a transport; the message says what, where and what to do. */
public final class LlpException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final LlpFailure failure;

    /** Creates the exception. */
    public LlpException(LlpFailure failure, String sentence) {
        super(sentence);
        this.failure = failure;
    }

    /** Creates the exception with a cause. */
    public LlpException(LlpFailure failure, String sentence, Throwable cause) {
        super(sentence, cause);
        this.failure = failure;
    }

    /** {@return the kind of failure} */
    public LlpFailure failure() {
        return failure;
    }
}
