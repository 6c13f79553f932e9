package dev.jwarp.transport.tcp;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.Shares;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.mpa.FpduBatch;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The send buffers of one owner's connections. A connection acquires a buffer when it has output, and returns the
 * buffer when TCP has accepted all octets, so an idle connection holds none. The number of buffers is limited. If all
 * are in use, a connection whose octets TCP has not accepted for long returns its buffer, see {@code Output}.
 */
final class BatchPool {
    /** Free batches that are kept. */
    private static final int MAX_FREE = 64;

    /** Number of releases after which an unused batch drops its references to gathered buffers. */
    private static final int IDLE_RELEASES = 256;

    private final Supplier<FpduBatch> maker;
    private final Shares shares;

    /** Free batches, the most recently used on top, each with the number of its release, or -1 if it is cleared. */
    private final @Nullable FpduBatch[] free = new FpduBatch[MAX_FREE];

    private final long[] released = new long[MAX_FREE];
    private int freeCount;
    private long releases;

    /** Batches that connections hold. */
    private int lent;

    /** While fewer batches are lent, any stream may take one, even if its source holds all of them. */
    private final long freely;

    /** Streams that wait for a batch, in the order of arrival. */
    private final Set<StreamDriver> waitingForOne = new LinkedHashSet<>();

    /** Set while a returned batch goes to the requesting stream, so that no waiting stream is woken. */
    private boolean takingBack;

    /**
     * The holder of the last batch, and the time, if the shares do not count it yet. Most batches are returned before
     * another stream asks for one, and entering and leaving the ranking of holders costs more than the rest of a write.
     */
    private @Nullable Share newest;

    private long newestAt;

    BatchPool(int capacity, int copyLimit, Shares shares) {
        this(() -> new FpduBatch(capacity, copyLimit), shares);
    }

    /** Creates a pool of batches from {@code maker}, limited by {@code shares}. */
    BatchPool(Supplier<FpduBatch> maker, Shares shares) {
        this.maker = maker;
        this.shares = shares;
        freely = shares.limits().perSource();
    }

    /** The process has no memory for another batch. */
    static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException(OutOfMemoryError cause) {
            super(
                    "no direct memory is left for a send buffer: raise -XX:MaxDirectMemorySize, or lower "
                            + TcpSetting.MEMORY.key(),
                    cause);
        }
    }

    /** {@return the share of a connection; {@code holder} returns its batch on request} */
    Share join(long source, ShareHolder holder, long nowNanos) {
        return shares.join(source, holder, nowNanos);
    }

    /** {@return whether any stream may take a batch, even if its source holds all batches in use} */
    boolean isFree() {
        return lent < freely;
    }

    /** {@return whether {@link #acquire} would return a batch now, if necessary one that another stream gives up} */
    boolean isAvailable(Share share, long nowNanos) {
        countNewest();
        if (!take(share, nowNanos)) {
            return false;
        }
        share.give(1);
        return true;
    }

    /** Queues a stream without a batch; when a batch is returned, the longest waiting stream is woken. */
    void await(StreamDriver waiting) {
        waitingForOne.add(waiting);
    }

    /** The stream has a batch or no longer needs one. */
    void stopWaiting(StreamDriver waiting) {
        waitingForOne.remove(waiting);
    }

    private void ringNext() {
        Iterator<StreamDriver> first = waitingForOne.iterator();
        StreamDriver next = first.next();
        first.remove();
        next.wakeup();
    }

    /** {@return a batch, which the caller resets; only after {@link #isAvailable} returned true} */
    FpduBatch acquire(Share share, long nowNanos) {
        countNewest();
        if (isFree()) {
            newest = share;
            newestAt = nowNanos;
        } else if (!take(share, nowNanos)) {
            throw new IllegalStateException("there is no send buffer: call isAvailable first");
        }
        lent++;
        try {
            return freeOrNew();
        } catch (Throwable e) {
            lent--;
            give(share);
            if (e instanceof OutOfMemoryError exhausted) {
                return fromOther(share, exhausted, nowNanos);
            }
            throw e;
        }
    }

    private boolean take(Share share, long nowNanos) {
        takingBack = true;
        try {
            return share.take(1, nowNanos);
        } finally {
            takingBack = false;
        }
    }

    /** Enters the last batch into the shares, which had room for it when it was taken. */
    private void countNewest() {
        Share last = newest;
        if (last != null) {
            newest = null;
            if (!last.take(1, newestAt)) {
                throw new IllegalStateException("a send buffer was taken that is not there: a bug of jwarp");
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // this very share
    private void give(Share share) {
        if (share == newest) {
            newest = null;
        } else {
            share.give(1);
        }
    }

    private FpduBatch freeOrNew() {
        FpduBatch batch = freeCount == 0 ? null : free[--freeCount];
        return batch != null ? batch : maker.get();
    }

    /**
     * The process has no memory for the permitted number of batches, so another connection returns its own, as if all
     * were in use. If no connection has one, one connection ends; the polling thread must not get an Error.
     */
    private FpduBatch fromOther(Share share, OutOfMemoryError cause, long nowNanos) {
        takingBack = true;
        try {
            if (!share.takeBackFromOther(nowNanos) || freeCount == 0 || !share.take(1, nowNanos)) {
                throw new ExhaustedException(cause);
            }
        } finally {
            takingBack = false;
        }
        lent++;
        return freeOrNew();
    }

    /** Returns a batch to the pool. */
    void release(Share share, FpduBatch batch) {
        lent--;
        give(share);
        releases++;
        if (freeCount < MAX_FREE) {
            free[freeCount] = batch;
            released[freeCount++] = releases;
        }
        forgetSources((int) (releases % MAX_FREE));
        if (!takingBack && !waitingForOne.isEmpty()) {
            ringNext();
        }
    }

    /** {@return the number of batches that connections hold} */
    int lent() {
        return lent;
    }

    /** Drops the references of an idle batch to the memory that it gathered from. */
    private void forgetSources(int index) {
        FpduBatch batch = index < freeCount ? free[index] : null;
        if (batch != null && released[index] >= 0 && releases - released[index] > IDLE_RELEASES) {
            batch.clear();
            released[index] = -1;
        }
    }
}
