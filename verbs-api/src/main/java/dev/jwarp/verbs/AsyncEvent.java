package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * An event that belongs to no work request.
 *
 * @param type type of the event
 * @param element the affected {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue}; null for an
 *     event of the device
 * @param sentence description of the event and its place, for people
 * @param notice report of a peer, for {@link AsyncEventType#PEER_NOTICE}; otherwise null
 * @param count number of occurrences that this event stands for, at least 1: repeated events are merged until the
 *     program takes them
 */
public record AsyncEvent(
        AsyncEventType type,
        @Nullable Object element,
        String sentence,
        @Nullable PeerNotice notice,
        int count) {
    /**
     * Creates an event with count 1.
     *
     * @param type type of the event
     * @param element the affected object; null for an event of the device
     * @param sentence description of the event and its place, for people
     * @param notice report of a peer; null for none
     */
    public AsyncEvent(AsyncEventType type, @Nullable Object element, String sentence, @Nullable PeerNotice notice) {
        this(type, element, sentence, notice, 1);
    }

    /**
     * Creates an event with count 1 and without a notice.
     *
     * @param type type of the event
     * @param element the affected object; null for an event of the device
     * @param sentence description of the event and its place, for people
     */
    public AsyncEvent(AsyncEventType type, @Nullable Object element, String sentence) {
        this(type, element, sentence, null);
    }

    /**
     * {@return a copy with another count}
     *
     * @param times number of occurrences
     */
    public AsyncEvent withCount(int times) {
        return new AsyncEvent(type, element, sentence, notice, times);
    }
}
