package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.mpa.FpduBatch;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The send buffers of one owner's connections. A connection takes one when it has something to send, and gives it back
 * once TCP has all of it, so that idle connections cost nothing. Their number is limited; who comes too late waits.
 */
final class BatchPool {
    /** Free batches that are kept. */
    private static final int MAX_FREE = 64;

    /** Releases after which a batch that was not used forgets the buffers it gathered from. */
    private static final int IDLE_RELEASES = 256;

    private final Supplier<FpduBatch> maker;
    private final int limit;
    private final TcpCounters counters;
    private final ArrayDeque<StreamDriver> waiting = new ArrayDeque<>();

    /** Free batches, the one used last on top; beside each the number of the release that brought it, or -1 if clear. */
    private final @Nullable FpduBatch[] free = new FpduBatch[MAX_FREE];

    private final long[] released = new long[MAX_FREE];
    private int freeCount;
    private int lent;
    private long releases;

    BatchPool(int capacity, int copyLimit, int limit, TcpCounters counters) {
        this(() -> new FpduBatch(capacity, copyLimit), limit, counters);
    }

    /** A pool whose batches come from {@code maker}. */
    BatchPool(Supplier<FpduBatch> maker, int limit, TcpCounters counters) {
        this.maker = maker;
        this.limit = limit;
        this.counters = counters;
    }

    /** The process has no memory for another batch. */
    static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException(OutOfMemoryError cause) {
            super(
                    "no direct memory is left for a send buffer: raise -XX:MaxDirectMemorySize, or lower "
                            + TcpSetting.BATCHES.key(),
                    cause);
        }
    }

    /** {@return whether {@link #acquire} would give a batch now; if not, {@code driver} is woken when it would} */
    boolean isAvailable(StreamDriver driver) {
        if (lent < limit) {
            return true;
        }
        if (!waiting.contains(driver)) {
            counters.count(TcpCounter.WAITED_FOR_BATCH);
            waiting.addLast(driver);
        }
        return false;
    }

    /** {@return a batch, to be reset by the caller} */
    FpduBatch acquire() {
        FpduBatch batch = freeCount == 0 ? null : free[--freeCount];
        if (batch == null) {
            batch = make();
        }
        lent++;
        return batch;
    }

    /** What is too much ends one connection, and must not reach who polls as an Error. */
    private FpduBatch make() {
        try {
            return maker.get();
        } catch (OutOfMemoryError e) {
            throw new ExhaustedException(e);
        }
    }

    /** Takes a batch back, and wakes whoever waits for one. */
    void release(FpduBatch batch) {
        lent--;
        releases++;
        if (freeCount < MAX_FREE) {
            free[freeCount] = batch;
            released[freeCount++] = releases;
        }
        forgetSources((int) (releases % MAX_FREE));
        passOn();
    }

    /** A driver that is over waits no more; its turn goes to the next. */
    void forget(StreamDriver driver) {
        waiting.remove(driver);
        passOn();
    }

    /** Wakes the next that waits, if there is a batch for it: whoever was woken and has no use for one must pass it on. */
    void passOn() {
        StreamDriver next = lent < limit ? waiting.pollFirst() : null;
        if (next != null) {
            next.wakeup();
        }
    }

    /** {@return how many batches connections hold} */
    int lent() {
        return lent;
    }

    /** A batch keeps the memory alive that it gathered from; one that lies idle must not. */
    private void forgetSources(int index) {
        FpduBatch batch = index < freeCount ? free[index] : null;
        if (batch != null && released[index] >= 0 && releases - released[index] > IDLE_RELEASES) {
            batch.clear();
            released[index] = -1;
        }
    }
}
