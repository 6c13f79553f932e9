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
 * An entry of a completion queue: preallocated, filled by the producer, copied out by the consumer. It knows where it is on
 * its way round, and refuses a step that does not follow from there: an entry that went round twice at a time would make two
 * producers write one completion, and the queue would never be right again. The thread that has the entry takes the step.
 */
public final class Completion {
    // Where it is: numbers, as references cost the collector a note at each step.
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

    // What only datagrams have.
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
     * A free one.
     *
     * @param home where it goes when it is free
     * @param number its own among those of {@code home}
     */
    Completion(FreeCompletions home, int number) {
        this.home = home;
        this.number = number;
    }

    /**
     * {@return the outcome as the verbs name it} The two enums name the same outcomes: ddp may not know the verbs, nor
     * the verbs ddp.
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

    /** A producer takes it off the free entries. */
    void claimed() {
        step(FREE, CLAIMED);
    }

    /** Its producer hands it to the consumers. */
    void published() {
        step(CLAIMED, PUBLISHED);
    }

    /** It goes back to the free entries. */
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

    /** Where its queue pair is, for {@link CompletionQueues}. */
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

    /** It satisfies a notification for solicited completions, as errors do in any case. */
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

    /** Where in our memory the message was to go. */
    public void memory(int key, long address, long length) {
        hasMemory = true;
        localKey = key;
        localAddress = address;
        messageLength = length;
    }

    /** Where an RDMA Read read; goes with {@link #memory}. */
    public void read(AddressHandle peer, int key, long address) {
        destination = peer;
        remoteKey = key;
        remoteAddress = address;
    }

    /** What of the message arrived; goes back when the program is done with it. */
    public void record(MessageRecord what) {
        record = what;
    }

    /** What of the message arrived, if it need not be given back. */
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
