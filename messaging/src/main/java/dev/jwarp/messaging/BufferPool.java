package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory for long messages, in size classes of powers of two from 4 KiB to 1 GiB. A buffer is registered
 * when its memory is allocated, not when it is taken. The pool keeps freed buffers for the next taker, and never holds
 * more than its limit.
 *
 * <p>Threads: any.
 */
public final class BufferPool {
    private static final int SMALLEST_BITS = 12;

    private final ProtectionDomain domain;
    private final long limit;
    private final boolean tracked;
    private final Executor background;
    private final List<Deque<MessageBuffer>> free = new ArrayList<>();
    private final Set<MessageBuffer> taken = new LinkedHashSet<>();
    private long allocated;
    private long registrations;
    private @Nullable Runnable whenFreed;
    /** Completes when all memory that gave way is freed. */
    private CompletableFuture<Void> leaving = CompletableFuture.completedFuture(null);

    private boolean closed;

    /** @param background frees memory that gives way to buffers of another size: it waits for threads of the context */
    BufferPool(ProtectionDomain domain, long limit, boolean tracked, Executor background) {
        this.domain = domain;
        this.limit = limit;
        this.tracked = tracked;
        this.background = background;
        for (int bits = SMALLEST_BITS; 1L << bits <= MessageBuffer.MOST; bits++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** Sets the callback for freed buffers. The pool holds no lock when it calls. */
    void onFreed(Runnable then) {
        whenFreed = then;
    }

    /**
     * {@return a buffer of that length; the caller closes it, or hands it to a call that says so}
     *
     * @param length length in bytes, 0 to 2^30
     * @throws RdmaException INVALID_ARGUMENT for another length; LIMIT_REACHED if the pool is exhausted; the sentence
     *     says who holds most buffers, if takers are tracked
     */
    public MessageBuffer allocate(int length) {
        MessageBuffer got = tryAllocate(length);
        if (got == null) {
            throw new RdmaException(RdmaErrorCode.LIMIT_REACHED, exhausted(length));
        }
        return got;
    }

    /** {@return a buffer, or null if the pool is exhausted} */
    @Nullable
    MessageBuffer tryAllocate(int length) {
        if (length < 0 || length > MessageBuffer.MOST) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A buffer has 0 to " + MessageBuffer.MOST + " bytes, not " + length + ": send parts.");
        }
        int bits = bits(length);
        MessageBuffer got;
        synchronized (this) {
            checkOpen();
            got = free.get(bits - SMALLEST_BITS).pollFirst();
            if (got == null) {
                got = grow(bits);
            }
            if (got != null) {
                taken.add(got);
            }
        }
        if (got != null) {
            got.take(length, tracked ? new Throwable("taken here") : null);
        }
        return got;
    }

    /** {@return the most bytes for long messages of one peer} */
    long share() {
        return limit / 2;
    }

    /** {@return the memory of a buffer of that length, in bytes} */
    static long size(int length) {
        return 1L << bits(length);
    }

    /** {@return whether a message of that length can ever be received} */
    boolean canHold(long length) {
        return length <= MessageBuffer.MOST && size((int) length) <= share();
    }

    private static int bits(int length) {
        return Math.max(SMALLEST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, length - 1)));
    }

    private void checkOpen() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The endpoint of this buffer pool is closed.");
        }
    }

    private @Nullable MessageBuffer grow(int bits) {
        long size = 1L << bits;
        List<MessageBuffer> givesWay = new ArrayList<>();
        for (int other = free.size() - 1; other >= 0 && allocated + size > limit; other--) {
            while (allocated + size > limit && !free.get(other).isEmpty()) {
                MessageBuffer unused = free.get(other).removeFirst();
                allocated -= unused.capacity();
                givesWay.add(unused);
            }
        }
        if (!givesWay.isEmpty()) {
            leaving = CompletableFuture.allOf(
                    leaving, CompletableFuture.runAsync(() -> givesWay.forEach(MessageBuffer::forget), background));
        }
        if (allocated + size > limit) {
            return null;
        }
        MessageBuffer made = new MessageBuffer(this, domain.allocate((int) size, AccessFlag.LOCAL_WRITE));
        allocated += size;
        registrations++;
        return made;
    }

    /** The buffer comes back; no peer reaches its memory any more. */
    void free(MessageBuffer buffer) {
        boolean over;
        synchronized (this) {
            over = closed;
            if (!over) {
                if (!taken.remove(buffer)) {
                    return;
                }
                int bits = Integer.numberOfTrailingZeros(buffer.capacity());
                free.get(bits - SMALLEST_BITS).addFirst(buffer);
            }
        }
        Runnable then = whenFreed;
        if (over) {
            buffer.forget();
            synchronized (this) {
                taken.remove(buffer);
            }
        } else if (then != null) {
            then.run();
        }
    }

    private synchronized String exhausted(int length) {
        StringBuilder sentence = new StringBuilder("The buffer pool has no " + length + " bytes left of its " + limit
                + ": " + taken.size() + " buffers are taken. Close messages and buffers, or raise the limit.");
        if (tracked) {
            taken.stream()
                    .limit(1)
                    .map(MessageBuffer::taker)
                    .forEach(taker ->
                            sentence.append(" The oldest was taken at ").append(taker));
        }
        return sentence.toString();
    }

    /** {@return the number of buffers that are taken} */
    public synchronized int taken() {
        return taken.size();
    }

    /** {@return the bytes of memory that the pool has registered} */
    public synchronized long allocated() {
        return allocated;
    }

    /** {@return the number of regions that the pool has registered so far} */
    public synchronized long registrations() {
        return registrations;
    }

    /** Frees the memory; taken buffers are freed when they come back. */
    void close() {
        List<MessageBuffer> left = new ArrayList<>();
        CompletableFuture<Void> before;
        synchronized (this) {
            closed = true;
            before = leaving;
            free.forEach(left::addAll);
            free.forEach(Deque::clear);
        }
        left.forEach(MessageBuffer::forget);
        boolean unused = before.handle((done, failure) -> true).join();
    }
}
