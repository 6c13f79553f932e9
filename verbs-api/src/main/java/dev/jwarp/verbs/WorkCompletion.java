package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How one work request ended: {@code ibv_wc}. Reusable: {@link CompletionQueue#poll} fills it, the next poll fills it
 * again. If the status is not SUCCESS, only id, status, opcode, queue pair and diagnosis mean anything; over datagrams
 * also source, memory and {@link #validity}.
 *
 * <p>Threads: one at a time.
 */
public final class WorkCompletion {
    /** For providers: the queue pairs of a context, by what {@link #fillQueuePair} was given. Any thread; allocates nothing. */
    @FunctionalInterface
    public interface QueuePairs {
        /**
         * {@return the queue pair, or null if it is closed}
         *
         * @param place as given to {@link #fillQueuePair}
         * @param number of the queue pair
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

    /** Makes one to be filled. */
    public WorkCompletion() {}

    /**
     * {@return {@code count} of them, to poll into}
     *
     * @param count how many
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

    /** {@return how it ended} */
    public WorkCompletionStatus status() {
        return status;
    }

    /** {@return true if it was carried out} */
    public boolean succeeded() {
        return status == WorkCompletionStatus.SUCCESS;
    }

    /** {@return what completed} */
    public WorkCompletionOpcode opcode() {
        return opcode;
    }

    /**
     * {@return bytes received (receives) or moved (RDMA Reads, Atomics); 0 for other sends} At most 2^31 − 1: of longer messages
     * {@link #messageLength} and {@link #validity} tell.
     */
    public int byteLength() {
        return byteLength;
    }

    /** {@return the number of the queue pair, also when that is closed} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /**
     * {@return the queue pair whose work request this was; null if it is closed by now} Its {@link
     * QueuePair#attachment} is what the program keeps for the connection. Allocates nothing.
     */
    public @Nullable QueuePair queuePair() {
        return queuePairs == null || place == NO_PLACE ? null : queuePairs.find(place, queuePairNumber);
    }

    /** {@return true if {@link #immediateData} means anything} */
    public boolean hasImmediateData() {
        return hasImmediateData;
    }

    /** {@return the 8 bytes of Immediate Data (RFC 7306 §6), the first on the wire most significant} */
    public long immediateData() {
        return immediateData;
    }

    /** {@return true if the peer invalidated one of our STags with this message} */
    public boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    /** {@return the STag that the peer invalidated (RFC 5040 §5.3)} */
    public int invalidatedKey() {
        return invalidatedKey;
    }

    /** {@return what is known beyond the status, such as the peer's Terminate, in words; null if nothing is} */
    public @Nullable String diagnosis() {
        return diagnosis;
    }

    /** {@return whether it says which peer sent the message: receives and Write-Records over datagrams} */
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

    /** {@return the peer that sent the message, or null if it does not say} Allocates. */
    public @Nullable InetSocketAddress source() {
        return hasSource ? SourceAddress.of(sourceHigh, sourceLow, sourcePort, sourceScope) : null;
    }

    /** {@return the handle that an RDMA Read over datagrams was posted with; else null} */
    public @Nullable AddressHandle destination() {
        return destination;
    }

    /** {@return the key of our memory that a Write-Record was for, or an RDMA Read over datagrams read into} */
    public int localKey() {
        return localKey;
    }

    /** {@return the address in our memory that a Write-Record was for, or an RDMA Read over datagrams read into} */
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
     * {@return the length of the whole message in bytes, also if only a part arrived: Write-Records and RDMA Reads over
     * datagrams}
     */
    public long messageLength() {
        return messageLength;
    }

    /**
     * {@return which bytes of the message arrived: Write-Records, incomplete receives, and RDMA Reads over datagrams
     * that ran out of time; null otherwise} Valid until {@link #release}, or until this object is polled into again.
     */
    public @Nullable ValidityMap validity() {
        return validity;
    }

    /**
     * Gives back what the stack keeps for {@link #validity}. Polling into this object does it too. Programs that do not
     * poll into it again soon have to call it: the stack keeps at most some 65,000 of them for a queue pair, and drops
     * the messages that would need more. More calls do nothing.
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
     * {@return a copy, which the next poll leaves as it is} {@link #validity} stays with this one: the copy has none.
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

    /** {@return one or more lines for a person: request, name, number, sentence, and for failures what to check} */
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
        if (status != WorkCompletionStatus.WR_FLUSH_ERR || diagnosis == null) { // else the cause is known, and said
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
     * For providers: fills it with the outcome of a request, without immediate data or invalidated key.
     *
     * @param workRequestId the id of the request
     * @param outcome how it ended
     * @param operation what completed
     * @param bytes how many were received or moved
     * @param number of the queue pair
     * @param details beyond the status, or null
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
     * For providers: adds how {@link #queuePair} finds it.
     *
     * @param all the queue pairs of the context
     * @param at what finds it among them
     */
    public void fillQueuePair(QueuePairs all, int at) {
        if (queuePairs != all) { // the same at almost every call: that saves a write barrier
            queuePairs = all;
        }
        place = at;
    }

    /**
     * For providers: adds the sender of the message to what {@link #fill} put in.
     *
     * @param high the first 8 bytes of the sender's address
     * @param low the last 8 bytes of the sender's address
     * @param port the sender's UDP port
     * @param scope the scope id of a link-local address, else 0
     * @param number the number of the sender's queue pair
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
     * For providers: adds where in our memory the message was to go, and its whole length.
     *
     * @param key the key of our memory
     * @param address where in our memory
     * @param length bytes of the whole message
     */
    public void fillMemory(int key, long address, long length) {
        localKey = key;
        localAddress = address;
        messageLength = length;
    }

    /**
     * For providers: adds where an RDMA Read read.
     *
     * @param peer the handle that it was posted with
     * @param key the key of the peer's memory
     * @param address where in the peer's memory
     */
    public void fillRead(@Nullable AddressHandle peer, int key, long address) {
        destination = peer;
        remoteKey = key;
        remoteAddress = address;
    }

    /**
     * For providers: adds what arrived.
     *
     * @param map of the message
     * @param whenReleased called once, when the program is done with it; null for none
     */
    public void fillValidity(ValidityMap map, @Nullable Runnable whenReleased) {
        validity = map;
        releaser = whenReleased;
    }

    /**
     * For providers: adds Immediate Data to what {@link #fill} put in.
     *
     * @param data the 8 bytes
     */
    public void fillImmediateData(long data) {
        hasImmediateData = true;
        immediateData = data;
    }

    /**
     * For providers: adds the invalidated STag to what {@link #fill} put in.
     *
     * @param key the key that the peer invalidated
     */
    public void fillInvalidatedKey(int key) {
        hasInvalidatedKey = true;
        invalidatedKey = key;
    }
}
