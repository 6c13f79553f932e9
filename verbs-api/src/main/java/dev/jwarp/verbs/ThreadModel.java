package dev.jwarp.verbs;

/** Which threads may use a {@link Context} and its objects: the setting {@code jwarp.threads}. */
public enum ThreadModel {
    /** Any thread, several at a time. */
    MULTI,
    /**
     * Only the thread that opened the context; when that thread has ended, any thread may close the context. Posts and
     * polls need no locks then ({@code ibv_alloc_td}). In other threads all calls that post, poll, wait, create, close
     * or connect throw WRONG_STATE; {@link Context#wakeup} and {@link ProgressCondition#signal} are for any thread, but
     * do not end a read that blocks ({@code jwarp.progress.wait=block}). Requires {@link Progress#INLINE}.
     */
    SINGLE
}
