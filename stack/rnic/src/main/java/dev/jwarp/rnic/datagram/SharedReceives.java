package dev.jwarp.rnic.datagram;

import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * A datagram queue pair's view of its shared receive queue. The poster of a receive does not know which queue pair
 * takes the receive, so {@link #take} reserves the entry of the completion queue. Owner of the port only, unless stated
 * otherwise; allocates nothing.
 */
final class SharedReceives implements ReceiveSource, RnicSharedReceiveQueue.Taker {
    private final RnicSharedReceiveQueue queue;
    private final RnicCompletionQueue completions;
    private final boolean patient;
    private final Runnable retry;
    private boolean completionsFull;

    /** Whether {@link #take} failed because the completion queue had no free entry. */
    private volatile boolean placeWanted;

    /** Whether this is in the queue's list of waiting takers; guarded by the queue. */
    private boolean waits;

    /**
     * The view of one queue pair.
     *
     * @param patient whether messages without a receive wait
     * @param retry makes the owner call {@link #take} again; called by any thread when a take may succeed; cheap
     */
    SharedReceives(RnicSharedReceiveQueue queue, RnicCompletionQueue completions, boolean patient, Runnable retry) {
        this.queue = queue;
        this.completions = completions;
        this.patient = patient;
        this.retry = retry;
    }

    RnicSharedReceiveQueue queue() {
        return queue;
    }

    @Override
    public @Nullable ReceiveOperation take() {
        completionsFull = !completions.reserve() && !(patient && reserveOrWait());
        if (completionsFull) {
            return null;
        }
        ReceiveOperation operation = queue.take(patient ? this : null);
        if (operation == null) {
            completions.unreserve();
        }
        return operation;
    }

    /**
     * Reserves an entry, or sets {@link #placeWanted}. If an entry is freed meanwhile, either this call gets it or the
     * freeing thread sees the flag.
     */
    private boolean reserveOrWait() {
        placeWanted = true;
        boolean reserved = completions.reserve();
        if (reserved) {
            placeWanted = false;
        }
        return reserved;
    }

    @Override
    public void putBack(ReceiveOperation operation) {
        queue.putBack(operation);
        completions.unreserve();
    }

    @Override
    public void release(ReceiveOperation operation) {
        queue.release(operation);
    }

    @Override
    public boolean completionsFull() {
        return completionsFull;
    }

    @Override
    public boolean shared() {
        return true;
    }

    @Override
    public void receivesAgain() {
        retry.run();
    }

    @Override
    public boolean waits() {
        return waits;
    }

    @Override
    public void waits(boolean waiting) {
        waits = waiting;
    }

    /** Entries of the completion queue are available again. Any thread. */
    void placesAgain() {
        if (placeWanted) {
            placeWanted = false;
            retry.run();
        }
    }
}
