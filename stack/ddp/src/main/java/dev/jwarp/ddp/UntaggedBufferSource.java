package dev.jwarp.ddp;

import org.jspecify.annotations.Nullable;

/**
 * Where an {@link UntaggedQueue} gets its buffers: a receive queue, a shared receive queue, the slots for inbound Read
 * Requests.
 *
 * @param <B> the kind of buffer
 */
@FunctionalInterface
public interface UntaggedBufferSource<B extends UntaggedBuffer> {
    /** {@return the buffer posted first of those not yet taken, or null if there is none} Owner thread only. */
    @Nullable
    B take();
}
