package dev.jwarp.rnic.completion;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.rdmap.datagram.MessageRecord;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a completion queue: preallocated, filled by the producer, copied out by the consumer. The entry records
 * whether it is free, a producer's or published, and rejects a wrong step; otherwise two producers could write one
 * entry, and the queue would be corrupt for good. The thread that has the entry makes the step.
 */
public final class Completion {
    // Values of place: ints, because each write of a reference costs a write barrier of the garbage collector.
    private static final int FREE = 0;
    private static final int CLAIMED = 1;
    private static final int PUBLISHED = 2;

    private static final String[] PLACES = {"free", "a producer's", "published"};

    private final FreeCompletions home;
    private final int number;
    private int place = FREE;
    private long workRequestId;
    private WorkCompletionStatus status = WorkCompletionStatus.SUCCESS;
    private WorkCompletionOpcode opcode = WorkCompletionOpcode.SEND;
    private int octets;
    private int queuePairNumber;
    private int queuePairPlace = CompletionQueues.NOWHERE;
    private @Nullable String diagnosis;
    private boolean immediate;
    private long immediateData;
    private boolean invalidated;
    private int invalidatedKey;
    private boolean solicited;

    // Only for datagrams.
    private boolean hasSource;
    private final DatagramAddress source = new DatagramAddress();
    private int sourceQueuePairNumber;
    private boolean hasMemory;
    private int localKey;
    private long localAddress;
    private long messageLength;
    private @Nullable AddressHandle destination;
    private int remoteKey;
    private long remoteAddress;
    private @Nullable MessageRecord record;
    private @Nullable ValidityMap validity;

    /**
     * A free entry.
     *
     * @param home the list of free entries that the entry belongs to
     * @param number of the entry in {@code home}
     */
    Completion(FreeCompletions home, int number) {
        this.home = home;
        this.number = number;
    }

    /**
     * {@return the same status of the verbs} The two enums have the same names, because ddp must not depend on the
     * verbs, nor the verbs on ddp.
     */
    public static WorkCompletionStatus status(OperationStatus status) {
        return status == OperationStatus.SUCCESS
                ? WorkCompletionStatus.SUCCESS
                : WorkCompletionStatus.valueOf(status.name());
    }

    FreeCompletions home() {
        return home;
    }

    int number() {
        return number;
    }

    /** A producer takes the entry from the free entries. */
    void claimed() {
        step(FREE, CLAIMED);
    }

    /** The producer appends the entry to the filled entries. */
    void published() {
        step(CLAIMED, PUBLISHED);
    }

    /** The entry returns to the free entries. */
    void freed() {
        if (place == FREE) {
            throw wrong(FREE, FREE);
        }
        place = FREE;
    }

    private void step(int from, int to) {
        if (place != from) {
            throw wrong(place, to);
        }
        place = to;
    }

    private static IllegalStateException wrong(int from, int to) {
        return new IllegalStateException("an entry of a completion queue that is " + PLACES[from] + " cannot become "
                + PLACES[to] + ": a bug of jwarp");
    }

    public void fill(
            long id, WorkCompletionStatus outcome, WorkCompletionOpcode operation, int length, int pairNumber) {
        workRequestId = id;
        status = outcome;
        opcode = operation;
        octets = length;
        queuePairNumber = pairNumber;
        queuePairPlace = CompletionQueues.NOWHERE;
        diagnosis = null;
        immediate = false;
        invalidated = false;
        solicited = outcome != WorkCompletionStatus.SUCCESS;
        hasSource = false;
        hasMemory = false;
        destination = null;
        record = null;
        validity = null;
    }

    /** Sets the place of the queue pair, for {@link CompletionQueues}. */
    public void place(int place) {
        queuePairPlace = place;
    }

    public void diagnosis(@Nullable String text) {
        diagnosis = text;
    }

    public void immediateData(long data) {
        immediate = true;
        immediateData = data;
    }

    public void invalidatedKey(int key) {
        invalidated = true;
        invalidatedKey = key;
    }

    /** Marks the completion as solicited if {@code wanted}; errors are always solicited. */
    public void solicited(boolean wanted) {
        solicited |= wanted;
    }

    public boolean solicited() {
        return solicited;
    }

    public void source(DatagramAddress from, int number) {
        hasSource = true;
        source.set(from);
        sourceQueuePairNumber = number;
    }

    /** Sets the destination of the message in local memory. */
    public void memory(int key, long address, long length) {
        hasMemory = true;
        localKey = key;
        localAddress = address;
        messageLength = length;
    }

    /** Sets the source of an RDMA Read; in addition to {@link #memory}. */
    public void read(AddressHandle peer, int key, long address) {
        destination = peer;
        remoteKey = key;
        remoteAddress = address;
    }

    /** Sets the record of the segments that arrived; the program releases the record. */
    public void record(MessageRecord what) {
        record = what;
    }

    /** Sets the segments that arrived, as a map that needs no release. */
    public void validity(ValidityMap what) {
        validity = what;
    }

    void copyTo(WorkCompletion completion, CompletionQueues queuePairs) {
        completion.fill(workRequestId, status, opcode, octets, queuePairNumber, diagnosis);
        completion.fillQueuePair(queuePairs, queuePairPlace);
        if (immediate) {
            completion.fillImmediateData(immediateData);
        }
        if (invalidated) {
            completion.fillInvalidatedKey(invalidatedKey);
        }
        if (hasSource) {
            completion.fillSource(source.high(), source.low(), source.port(), source.scope(), sourceQueuePairNumber);
        }
        if (hasMemory) {
            completion.fillMemory(localKey, localAddress, messageLength);
        }
        if (destination != null) {
            completion.fillRead(destination, remoteKey, remoteAddress);
            destination = null;
        }
        if (record != null) {
            RecordValidity map = RecordValidity.of(record);
            completion.fillValidity(map, map);
            record = null;
        } else if (validity != null) {
            completion.fillValidity(validity, null);
            validity = null;
        }
    }
}
