package dev.jwarp.ddp.llp;

/** A local call to a transport failed; the message says what, where and what to do. */
public final class LlpException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final LlpFailure failure;

    /** Creates the exception. */
    public LlpException(LlpFailure failure, String sentence) {
        super(sentence);
        this.failure = failure;
    }

    /** Creates the exception, with what brought it about. */
    public LlpException(LlpFailure failure, String sentence, Throwable cause) {
        super(sentence, cause);
        this.failure = failure;
    }

    /** {@return what kind of failure} */
    public LlpFailure failure() {
        return failure;
    }
}
