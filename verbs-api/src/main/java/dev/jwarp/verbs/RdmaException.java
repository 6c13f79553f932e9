package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a call. The message is for people: what was wrong, where, and what to do. Programs branch on
 * {@link #code}. Errors of a peer on an established connection never cause exceptions; they cause completions and
 * events.
 */
public final class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    private final RdmaErrorCode code;
    /** The number of work requests of an array that were posted. */
    private final int posted;
    /** Private data of a peer that rejected the connection; null for none. */
    private final byte @Nullable [] privateData;

    /**
     * Creates the exception.
     *
     * @param code the kind of failure
     * @param sentence what was wrong, where, and what to do
     */
    public RdmaException(RdmaErrorCode code, String sentence) {
        this(code, sentence, null, 0, null);
    }

    /**
     * Creates the exception.
     *
     * @param code the kind of failure
     * @param sentence what was wrong, where, and what to do
     * @param cause the underlying failure, or null
     */
    public RdmaException(RdmaErrorCode code, String sentence, @Nullable Throwable cause) {
        this(code, sentence, cause, 0, null);
    }

    /**
     * Creates the exception.
     *
     * @param code the kind of failure
     * @param sentence what was wrong, where, and what to do
     * @param cause the underlying failure, or null
     * @param posted number of work requests of an array that were posted before the invalid one
     * @param privateData private data of a peer that rejected the connection, or null
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
     * @param <T> type of the argument
     * @param argument an argument of the program
     * @param name name of the argument, for the message
     * @throws RdmaException INVALID_ARGUMENT if the argument is null
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
     * @param <T> type of the elements
     * @param arguments an array argument of the program
     * @param name name of the argument, for the message
     * @throws RdmaException INVALID_ARGUMENT if the array or one of its elements is null
     */
    public static <T> T[] requireArguments(T @Nullable [] arguments, String name) {
        for (@Nullable T one : requireArgument(arguments, name)) {
            requireArgument(one, "one of " + name);
        }
        return requireArgument(arguments, name);
    }

    /** {@return the kind of failure} */
    public RdmaErrorCode code() {
        return code;
    }

    /**
     * {@return the number of work requests of an array that were posted before one was refused} The value is the index
     * of the refused request (libibverbs: {@code bad_wr}).
     */
    public int posted() {
        return posted;
    }

    /** {@return a copy of the private data of a peer that rejected the connection; empty for none} */
    public byte[] privateData() {
        return privateData == null ? new byte[0] : privateData.clone();
    }
}
