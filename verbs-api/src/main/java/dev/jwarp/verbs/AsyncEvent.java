package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Something happened that belongs to no work request.
 *
 * @param type what happened
 * @param element the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue} concerned; null if the
 *     event is the device's
 * @param sentence what happened and where, for a person to read
 * @param notice what a peer said, for {@link AsyncEventType#PEER_NOTICE}; else null
 * @param count how often the same event happened before the program took this one, at least 1
 */
public record AsyncEvent(
        AsyncEventType type,
        @Nullable Object element,
        String sentence,
        @Nullable PeerNotice notice,
        int count) {
    /**
     * An event that happened once.
     *
     * @param type what happened
     * @param element the object concerned; null if the event is the device's
     * @param sentence what happened and where, for a person to read
     * @param notice what a peer said; null for none
     */
    public AsyncEvent(AsyncEventType type, @Nullable Object element, String sentence, @Nullable PeerNotice notice) {
        this(type, element, sentence, notice, 1);
    }

    /**
     * An event without a peer's notice.
     *
     * @param type what happened
     * @param element the object concerned; null if the event is the device's
     * @param sentence what happened and where, for a person to read
     */
    public AsyncEvent(AsyncEventType type, @Nullable Object element, String sentence) {
        this(type, element, sentence, null);
    }

    /**
     * {@return the same event with another count}
     *
     * @param times how often
     */
    public AsyncEvent withCount(int times) {
        return new AsyncEvent(type, element, sentence, notice, times);
    }
}
