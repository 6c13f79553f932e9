package dev.jwarp.verbs;

/** Which threads may use a {@link Context} and its objects: the setting {@code jwarp.threads}. */
public enum ThreadModel {
    /** Any thread, several at a time. */
    MULTI,
    /**
     * Only the thread that opened the context; its messages need no locks ({@code ibv_alloc_td}). Other threads get
     * WRONG_STATE, except for {@link Context#wakeup}, {@link ProgressCondition#signal} and calls that only return a
     * value. Requires {@link Progress#INLINE}.
     */
    SINGLE
}
