package dev.jwarp.ddp;

import org.jspecify.annotations.Nullable;

/**
 * The source of buffers of an {@link UntaggedQueue}: a receive queue, a shared receive queue, the slots of inbound Read
 * Requests.
 *
 * @param <B> the kind of buffer
 */
@FunctionalInterface
public interface UntaggedBufferSource<B extends UntaggedBuffer> {
    /** {@return the oldest posted buffer, removed; null if there is none} Owner thread only. */
    @Nullable
    B take();
}
