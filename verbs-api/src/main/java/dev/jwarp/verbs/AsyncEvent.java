package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Something happened that belongs to no work request.
 *
 * @param type what happened
 * @param element the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue} concerned; null if the
 *     event is the device's
 * @param sentence what happened and where, for a person to read
 */
public record AsyncEvent(AsyncEventType type, @Nullable Object element, String sentence) {}
