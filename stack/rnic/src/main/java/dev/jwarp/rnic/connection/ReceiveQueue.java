package dev.jwarp.rnic.connection;

import dev.jwarp.rdmap.OperationRing;
import dev.jwarp.rdmap.ReceiveOperation;
import dev.jwarp.rdmap.ReceiveSource;
import org.jspecify.annotations.Nullable;

/** The receive queue of one queue pair: posted by any thread under the queue pair's lock, taken by the stream's owner. */
final class ReceiveQueue implements ReceiveSource {
    private final OperationRing<ReceiveOperation> ring;
    private long taken;

    ReceiveQueue(int capacity, int elements) {
        ring = new OperationRing<>(capacity, () -> new ReceiveOperation(elements));
    }

    OperationRing<ReceiveOperation> ring() {
        return ring;
    }

    @Override
    public @Nullable ReceiveOperation take() {
        return taken < ring.published() ? ring.at(taken++) : null;
    }

    @Override
    public void release(ReceiveOperation operation) {
        ring.release(ring.released());
    }

    /** The oldest operation, number {@code sequence}, was completed without a stream. */
    void flushed(long sequence) {
        ring.release(sequence);
        taken = Math.max(taken, sequence + 1);
    }

    @Override
    public boolean shared() {
        return false;
    }
}
