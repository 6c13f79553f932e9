package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A call failed. The message is a sentence for a person: what was wrong, where, and what to do. Programs branch on
 * {@link #code}. What a peer does wrong during a connection is never an exception, but a completion and an event.
 */
public final class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What kind of failure. */
    private final RdmaErrorCode code;
    /** How many work requests of a list were posted. */
    private final int posted;
    /** Of the peer that rejected; null if there is none. */
    private final byte @Nullable [] privateData;

    /**
     * Creates the exception.
     *
     * @param code what kind of failure
     * @param sentence what was wrong, where, and what to do
     */
    public RdmaException(RdmaErrorCode code, String sentence) {
        this(code, sentence, null, 0, null);
    }

    /**
     * Creates the exception.
     *
     * @param code what kind of failure
     * @param sentence what was wrong, where, and what to do
     * @param cause what failed below, or null
     */
    public RdmaException(RdmaErrorCode code, String sentence, @Nullable Throwable cause) {
        this(code, sentence, cause, 0, null);
    }

    /**
     * Creates the exception.
     *
     * @param code what kind of failure
     * @param sentence what was wrong, where, and what to do
     * @param cause what failed below, or null
     * @param posted how many work requests of the list were posted before this one failed
     * @param privateData what the peer said when it rejected, or null
     */
    public RdmaException(
            RdmaErrorCode code, String sentence, @Nullable Throwable cause, int posted, byte @Nullable [] privateData) {
        super(sentence, cause);
        this.code = code;
        this.posted = posted;
        this.privateData = privateData == null ? null : privateData.clone();
    }

    /**
     * {@return {@code argument}} For providers.
     *
     * @param <T> the type of the argument
     * @param argument what a program gave
     * @param name of the argument, for the sentence
     * @throws RdmaException INVALID_ARGUMENT if it is null
     */
    public static <T> T requireArgument(@Nullable T argument, String name) {
        if (argument == null) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, "The argument " + name + " is null.");
        }
        return argument;
    }

    /**
     * {@return {@code arguments}} For providers.
     *
     * @param <T> the type of the argument
     * @param arguments what a program gave
     * @param name of the argument, for the sentence
     * @throws RdmaException INVALID_ARGUMENT if it is null, or one of its elements is
     */
    public static <T> T[] requireArguments(T @Nullable [] arguments, String name) {
        for (@Nullable T one : requireArgument(arguments, name)) {
            requireArgument(one, "one of " + name);
        }
        return requireArgument(arguments, name);
    }

    /** {@return what kind of failure} */
    public RdmaErrorCode code() {
        return code;
    }

    /**
     * {@return how many work requests of a list were posted before one was refused; the refused one is the next in the
     * list (libibverbs: {@code bad_wr})}
     */
    public int posted() {
        return posted;
    }

    /** {@return a copy of the private data of the peer that rejected; empty if there is none} */
    public byte[] privateData() {
        return privateData == null ? new byte[0] : privateData.clone();
    }
}
