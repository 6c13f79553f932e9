package dev.jwarp.rnic.core;

import dev.jwarp.base.Faults;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.slf4j.LoggerFactory;

/**
 * The part of a context that its objects use: progress, STags, counters, events, limits. The core does not depend on
 * those objects. Any thread.
 */
public final class ContextCore {
    private static final Faults FAULTS = new Faults(LoggerFactory.getLogger(ContextCore.class)::error);
    private static final long PAGE = 4096;

    /** Capacity of the queue of async events. */
    static final int ASYNC_EVENTS = 1_024;

    /** Addresses lie below 2^62 and are never 0. */
    private static final long RANDOM_PAGES = (1L << 62) / PAGE;

    private final Context context;
    private final DeviceAttributes attributes;
    private final Progression progression;
    private final STagTable tags;
    private final RandomGenerator randomness;
    private final Counters counters = new Counters();
    private final AsyncEvents asyncEvents;
    private final AtomicInteger handles = new AtomicInteger();
    private final Set<Integer> queuePairNumbers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** The core of {@code context}, whose constructor may still be running. */
    public ContextCore(
            Context context, DeviceAttributes attributes, Progression progression, RandomGenerator randomness) {
        this.context = context;
        this.attributes = attributes;
        this.progression = progression;
        this.randomness = randomness;
        tags = new STagTable(randomness, DeviceLimits.MAX_MEMORY_REGIONS + DeviceLimits.MAX_MEMORY_WINDOWS);
        asyncEvents = new AsyncEvents(progression, counters, ASYNC_EVENTS, this::failed);
    }

    /** {@return the context, as the program sees it} */
    public Context context() {
        return context;
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    public Progression progression() {
        return progression;
    }

    public RandomGenerator randomness() {
        return randomness;
    }

    public STagTable tags() {
        return tags;
    }

    public Counters counters() {
        return counters;
    }

    public AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    /** {@return true if {@code number} was free; a queue pair of this context owns the number from now on} */
    public boolean takeQueuePairNumber(int number) {
        return queuePairNumbers.add(number);
    }

    /** Frees the number of a queue pair that is closed. */
    public void freeQueuePairNumber(int number) {
        queuePairNumbers.remove(number);
    }

    /** {@return a number that no other call of this method returns; datagram queue pairs may have the same number} */
    public int newHandle() {
        return handles.incrementAndGet();
    }

    /** {@return a page-aligned address for a region} */
    public long newAddress() {
        // datagram-iWARP §17 (DG-17-2): addresses must be hard to guess. Among a thousand regions of a gigabyte, two
        // overlap with a probability of about 2^-12.
        return randomness.nextLong(1, RANDOM_PAGES) * PAGE;
    }

    /** Logs an exception for which no object of the program can get an event. Throws nothing. */
    public void failed(String what, Throwable cause) {
        FAULTS.tell("This side failed: {}", what, cause);
    }

    // ---- close

    /** Marks the context as closed. Returns true the first time. */
    public synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /** Throws CLOSED, or WRONG_STATE if the caller may not use the context. */
    public void checkOpen() {
        progression.checkThread();
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The context is closed.");
        }
    }

    // ---- checks of arguments

    /** {@return the exception for an argument that is closed or belongs to another context} */
    public static RdmaException foreign(String what) {
        return new RdmaException(
                RdmaErrorCode.INVALID_ARGUMENT, "The " + what + " is closed, or belongs to another context.");
    }

    /** Checks that there can be one more object. */
    public static void checkLimit(int present, int limit, String what) {
        if (present >= limit) {
            throw new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "There are " + limit + " " + what + " already, the most there can be.");
        }
    }

    /** Checks that a list of work requests has at least {@code count} elements. */
    public static void checkList(Object[] requests, int count) {
        int length = RdmaException.requireArgument(requests, "requests").length;
        if (count < 0 || count > length) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The list has " + length + " work requests: count is 0 to that, not " + count + ".");
        }
    }

    /**
     * {@return the exception for a list of work requests of which the first {@code posted} were posted, and the next
     * one was rejected with {@code cause}}
     */
    public static RdmaException refusedAfter(int posted, RdmaException cause) {
        return new RdmaException(cause.code(), String.valueOf(cause.getMessage()), cause, posted, null);
    }

    /** Checks a number given by the program. */
    public static void checkRange(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The number of " + what + " is " + least + " to " + most + ", not " + value + ".");
        }
    }
}
