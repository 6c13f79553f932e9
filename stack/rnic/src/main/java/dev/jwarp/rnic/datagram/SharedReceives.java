package dev.jwarp.rnic.datagram;

import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * A shared receive queue as one datagram queue pair sees it. The poster of a receive does not know which queue pair takes
 * it, so the place of its completion is set aside when it is taken. Owner of the port, unless said otherwise; allocates
 * nothing.
 */
final class SharedReceives implements ReceiveSource, RnicSharedReceiveQueue.Taker {
    private final RnicSharedReceiveQueue queue;
    private final RnicCompletionQueue completions;
    private final boolean patient;
    private final Runnable retry;
    private boolean completionsFull;

    /** A take failed for want of a place since there was one last. */
    private volatile boolean placeWanted;

    /** Whether it is among those that the queue wakes; guarded by the queue. */
    private boolean waits;

    /**
     * The view of one queue pair.
     *
     * @param patient whether messages wait that find nothing
     * @param retry has the owner take again for those: called when that is worth it, by any thread; cheap
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

    /** A place that becomes free while this is noted is either seen here, or its finder sees the note. */
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

    /** There are places for completions again. Any thread. */
    void placesAgain() {
        if (placeWanted) {
            placeWanted = false;
            retry.run();
        }
    }
}
