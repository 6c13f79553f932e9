package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * How one work request ended: {@code ibv_wc}. Reusable: {@link CompletionQueue#poll} fills it, the next poll fills it
 * anew. If the status is not SUCCESS, only id, status, opcode, queue pair number and diagnosis mean anything.
 *
 * <p>Threads: one at a time.
 */
public final class WorkCompletion {
    private long id;
    private WorkCompletionStatus status = WorkCompletionStatus.SUCCESS;
    private WorkCompletionOpcode opcode = WorkCompletionOpcode.SEND;
    private int byteLength;
    private int queuePairNumber;
    private boolean hasImmediateData;
    private long immediateData;
    private boolean hasInvalidatedKey;
    private int invalidatedKey;
    private @Nullable String diagnosis;

    /** Makes one to be filled. */
    public WorkCompletion() {}

    /** {@return {@code count} of them, to poll into} */
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

    /** {@return octets received (receives) or moved (RDMA Reads, Atomics); 0 for other sends} */
    public int byteLength() {
        return byteLength;
    }

    /** {@return the number of the queue pair} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** {@return true if {@link #immediateData} means anything} */
    public boolean hasImmediateData() {
        return hasImmediateData;
    }

    /** {@return the 8 octets of Immediate Data (RFC 7306 §6), the first on the wire most significant} */
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
        return text.append("\ncheck: ").append(status.check()).toString();
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
     * @param octets received or moved
     * @param number of the queue pair
     * @param details beyond the status, or null
     */
    public void fill(
            long workRequestId,
            WorkCompletionStatus outcome,
            WorkCompletionOpcode operation,
            int octets,
            int number,
            @Nullable String details) {
        id = workRequestId;
        status = outcome;
        opcode = operation;
        byteLength = octets;
        queuePairNumber = number;
        diagnosis = details;
        hasImmediateData = false;
        hasInvalidatedKey = false;
        immediateData = 0;
        invalidatedKey = 0;
    }

    /** For providers: adds Immediate Data to what {@link #fill} put in. */
    public void fillImmediateData(long data) {
        hasImmediateData = true;
        immediateData = data;
    }

    /** For providers: adds the invalidated STag to what {@link #fill} put in. */
    public void fillInvalidatedKey(int key) {
        hasInvalidatedKey = true;
        invalidatedKey = key;
    }
}
