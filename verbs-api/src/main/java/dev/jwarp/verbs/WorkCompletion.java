package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one work request: {@code ibv_wc}. Reusable: each {@link CompletionQueue#poll} fills it anew. If the
 * status is not SUCCESS, only id, status, opcode, queue pair and diagnosis are defined; over datagrams also source,
 * memory and {@link #validity}.
 *
 * <p>Threads: one at a time.
 */
public final class WorkCompletion {
    /**
     * For providers: finds a queue pair of a context from the arguments of {@link #fillQueuePair}. Any thread;
     * allocates nothing.
     */
    @FunctionalInterface
    public interface QueuePairs {
        /**
         * {@return the queue pair, or null if it is closed}
         *
         * @param place as given to {@link #fillQueuePair}
         * @param number number of the queue pair
         */
        @Nullable
        QueuePair find(int place, int number);
    }

    private static final int NO_PLACE = -1;

    private long id;
    private WorkCompletionStatus status = WorkCompletionStatus.SUCCESS;
    private WorkCompletionOpcode opcode = WorkCompletionOpcode.SEND;
    private int byteLength;
    private int queuePairNumber;
    private @Nullable QueuePairs queuePairs;
    private int place = NO_PLACE;
    private boolean hasImmediateData;
    private long immediateData;
    private boolean hasInvalidatedKey;
    private int invalidatedKey;
    private @Nullable String diagnosis;
    private boolean hasSource;
    private long sourceHigh;
    private long sourceLow;
    private int sourceScope;
    private int sourcePort;
    private int sourceQueuePairNumber;
    private int localKey;
    private long localAddress;
    private int remoteKey;
    private long remoteAddress;
    private long messageLength;
    private @Nullable AddressHandle destination;
    private @Nullable ValidityMap validity;
    private @Nullable Runnable releaser;

    /** Creates an empty completion to poll into. */
    public WorkCompletion() {}

    /**
     * {@return an array of {@code count} empty completions to poll into}
     *
     * @param count number of completions
     */
    public static WorkCompletion[] array(int count) {
        WorkCompletion[] all = new WorkCompletion[count];
        for (int i = 0; i < count; i++) {
            all[i] = new WorkCompletion();
        }
        return all;
    }

    /** {@return the id of the work request} */
    public long id() {
        return id;
    }

    /** {@return the outcome of the work request} */
    public WorkCompletionStatus status() {
        return status;
    }

    /** {@return true if the work request was carried out} */
    public boolean succeeded() {
        return status == WorkCompletionStatus.SUCCESS;
    }

    /** {@return the operation that completed} */
    public WorkCompletionOpcode opcode() {
        return opcode;
    }

    /**
     * {@return the number of bytes received (receives) or read (RDMA Reads, Atomics); 0 for other sends} At most 2^31 −
     * 1; for longer messages see {@link #messageLength} and {@link #validity}.
     */
    public int byteLength() {
        return byteLength;
    }

    /** {@return the number of the queue pair, even if the queue pair is closed} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /**
     * {@return the queue pair of the work request; null if the queue pair is closed} Use {@link QueuePair#attachment}
     * to find the program's own object for the connection. Allocates nothing.
     */
    public @Nullable QueuePair queuePair() {
        return queuePairs == null || place == NO_PLACE ? null : queuePairs.find(place, queuePairNumber);
    }

    /** {@return true if {@link #immediateData} is defined} */
    public boolean hasImmediateData() {
        return hasImmediateData;
    }

    /** {@return the 8 bytes of Immediate Data (RFC 7306 §6), big-endian} */
    public long immediateData() {
        return immediateData;
    }

    /** {@return true if this message invalidated a local STag} */
    public boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    /** {@return the STag that the peer invalidated (RFC 5040 §5.3)} */
    public int invalidatedKey() {
        return invalidatedKey;
    }

    /** {@return details beyond the status, such as the peer's Terminate, as text; null if there are none} */
    public @Nullable String diagnosis() {
        return diagnosis;
    }

    /** {@return whether the source is defined: true for receives and Write-Records over datagrams} */
    public boolean hasSource() {
        return hasSource;
    }

    /** {@return the first 8 bytes of the sender's address, in IPv6 form: {@code ::ffff:a.b.c.d} for IPv4} */
    public long sourceHigh() {
        return sourceHigh;
    }

    /** {@return the last 8 bytes of the sender's address} */
    public long sourceLow() {
        return sourceLow;
    }

    /** {@return the scope id of a sender with a link-local address, else 0} */
    public int sourceScope() {
        return sourceScope;
    }

    /** {@return the sender's UDP port} */
    public int sourcePort() {
        return sourcePort;
    }

    /** {@return the number of the sender's queue pair} */
    public int sourceQueuePairNumber() {
        return sourceQueuePairNumber;
    }

    /** {@return the address of the sender, or null if {@link #hasSource} is false} Allocates. */
    public @Nullable InetSocketAddress source() {
        return hasSource ? SourceAddress.of(sourceHigh, sourceLow, sourcePort, sourceScope) : null;
    }

    /** {@return the address handle of an RDMA Read over datagrams; otherwise null} */
    public @Nullable AddressHandle destination() {
        return destination;
    }

    /**
     * {@return the key of the local memory that a Write-Record wrote to, or that an RDMA Read over datagrams read into}
     */
    public int localKey() {
        return localKey;
    }

    /** {@return the local address that a Write-Record wrote to, or that an RDMA Read over datagrams read into} */
    public long localAddress() {
        return localAddress;
    }

    /** {@return the key of the peer's memory that an RDMA Read over datagrams read} */
    public int remoteKey() {
        return remoteKey;
    }

    /** {@return the address in the peer's memory that an RDMA Read over datagrams read} */
    public long remoteAddress() {
        return remoteAddress;
    }

    /**
     * {@return the length of the whole message in bytes, even if only a part arrived: Write-Records and RDMA Reads over
     * datagrams}
     */
    public long messageLength() {
        return messageLength;
    }

    /**
     * {@return the bytes of the message that arrived, for Write-Records, incomplete receives, and timed-out RDMA Reads
     * over datagrams; otherwise null} Valid until {@link #release}, or until this object is polled into again.
     */
    public @Nullable ValidityMap validity() {
        return validity;
    }

    /**
     * Releases the resources of {@link #validity}. Polling into this object releases them too. A program that does not
     * poll into this object again soon has to call this method: a queue pair has about 65,000 validity maps, and the
     * stack drops messages that need one while none is free. Further calls have no effect.
     */
    public void release() {
        Runnable toRun = releaser;
        releaser = null;
        validity = null;
        if (toRun != null) {
            toRun.run();
        }
    }

    /**
     * {@return a copy that later polls do not change} The copy has no {@link #validity}; the map stays with this
     * object.
     */
    public WorkCompletion copy() {
        WorkCompletion made = new WorkCompletion();
        made.fill(id, status, opcode, byteLength, queuePairNumber, diagnosis);
        made.queuePairs = queuePairs;
        made.place = place;
        made.hasImmediateData = hasImmediateData;
        made.immediateData = immediateData;
        made.hasInvalidatedKey = hasInvalidatedKey;
        made.invalidatedKey = invalidatedKey;
        made.hasSource = hasSource;
        made.sourceHigh = sourceHigh;
        made.sourceLow = sourceLow;
        made.sourceScope = sourceScope;
        made.sourcePort = sourcePort;
        made.sourceQueuePairNumber = sourceQueuePairNumber;
        made.fillMemory(localKey, localAddress, messageLength);
        made.fillRead(destination, remoteKey, remoteAddress);
        return made;
    }

    /** {@return a description in one or more lines: request, name, number, sentence, and for failures what to check} */
    public String describe() {
        StringBuilder text = new StringBuilder()
                .append(opcode)
                .append(" wr_id=")
                .append(id)
                .append(" qp=")
                .append(queuePairNumber)
                .append(": ")
                .append(status)
                .append(" (")
                .append(status.number())
                .append("): ")
                .append(status.sentence());
        if (status == WorkCompletionStatus.SUCCESS) {
            return text.toString();
        }
        if (diagnosis != null) {
            text.append('\n').append(diagnosis);
        }
        if (status != WorkCompletionStatus.WR_FLUSH_ERR || diagnosis == null) { // otherwise the diagnosis has the cause
            text.append("\ncheck: ").append(status.check());
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return opcode + " wr_id=" + id + " qp=" + queuePairNumber + " " + status + " (" + status.number() + ") bytes="
                + byteLength;
    }

    /**
     * For providers: sets the outcome of a request and clears everything else.
     *
     * @param workRequestId id of the request
     * @param outcome outcome of the request
     * @param operation operation that completed
     * @param bytes number of bytes received or read
     * @param number number of the queue pair
     * @param details details beyond the status, or null
     */
    public void fill(
            long workRequestId,
            WorkCompletionStatus outcome,
            WorkCompletionOpcode operation,
            int bytes,
            int number,
            @Nullable String details) {
        id = workRequestId;
        status = outcome;
        opcode = operation;
        byteLength = bytes;
        queuePairNumber = number;
        place = NO_PLACE;
        diagnosis = details;
        hasImmediateData = false;
        hasInvalidatedKey = false;
        immediateData = 0;
        invalidatedKey = 0;
        hasSource = false;
        sourceHigh = 0;
        sourceLow = 0;
        sourceScope = 0;
        sourcePort = 0;
        sourceQueuePairNumber = 0;
        localKey = 0;
        localAddress = 0;
        remoteKey = 0;
        remoteAddress = 0;
        messageLength = 0;
        destination = null;
        release();
    }

    /**
     * For providers: adds the lookup of {@link #queuePair}.
     *
     * @param all the queue pairs of the context
     * @param at passed to {@link QueuePairs#find} as place
     */
    public void fillQueuePair(QueuePairs all, int at) {
        if (queuePairs != all) { // usually equal: skipping the store saves a write barrier
            queuePairs = all;
        }
        place = at;
    }

    /**
     * For providers: adds the sender of the message.
     *
     * @param high first 8 bytes of the sender's address
     * @param low last 8 bytes of the sender's address
     * @param port UDP port of the sender
     * @param scope scope id of a link-local address; otherwise 0
     * @param number number of the sender's queue pair
     */
    public void fillSource(long high, long low, int port, int scope, int number) {
        hasSource = true;
        sourceHigh = high;
        sourceLow = low;
        sourcePort = port;
        sourceScope = scope;
        sourceQueuePairNumber = number;
    }

    /**
     * For providers: adds the local memory that the message is for, and the length of the message.
     *
     * @param key key of the local memory
     * @param address address in the local memory
     * @param length length of the whole message in bytes
     */
    public void fillMemory(int key, long address, long length) {
        localKey = key;
        localAddress = address;
        messageLength = length;
    }

    /**
     * For providers: adds the peer's memory that an RDMA Read read.
     *
     * @param peer address handle of the request
     * @param key key of the peer's memory
     * @param address address in the peer's memory
     */
    public void fillRead(@Nullable AddressHandle peer, int key, long address) {
        destination = peer;
        remoteKey = key;
        remoteAddress = address;
    }

    /**
     * For providers: adds the validity map.
     *
     * @param map validity map of the message
     * @param whenReleased called once, when the map is released; null for none
     */
    public void fillValidity(ValidityMap map, @Nullable Runnable whenReleased) {
        validity = map;
        releaser = whenReleased;
    }

    /**
     * For providers: adds Immediate Data.
     *
     * @param data the 8 bytes
     */
    public void fillImmediateData(long data) {
        hasImmediateData = true;
        immediateData = data;
    }

    /**
     * For providers: adds the invalidated STag.
     *
     * @param key the key that the peer invalidated
     */
    public void fillInvalidatedKey(int key) {
        hasInvalidatedKey = true;
        invalidatedKey = key;
    }
}
