package dev.jwarp.rdmap.work;

/**
 * An operation of a send queue, for streams and for datagrams: its work request id, its memory, and the peer's memory.
 * The operation belongs to the posting thread until it is published, then to the owner of the queue.
 *
 * @param <T> the operation itself, which its setters return
 */
public abstract class PostedOperation<T extends PostedOperation<T>> {
    private final ScatterList memory;
    private long workRequestId;
    private boolean signaled;
    private boolean solicited;
    private int remoteSTag;
    private long remoteOffset;

    /**
     * Creates an operation.
     *
     * @param maximumPieces maximum number of pieces of memory
     * @param inlineCapacity bytes that may be given inline
     */
    protected PostedOperation(int maximumPieces, int inlineCapacity) {
        memory = new ScatterList(maximumPieces, inlineCapacity);
    }

    /** Resets the operation for another work request. */
    protected final void blank(long id) {
        workRequestId = id;
        memory.clear();
        signaled = false;
        solicited = false;
        remoteSTag = 0;
        remoteOffset = 0;
    }

    /** {@return the id that the program gave the work request} */
    public final long workRequestId() {
        return workRequestId;
    }

    /** {@return the source of a Send or Write, the sink of a Read or Atomic} */
    public final ScatterList memory() {
        return memory;
    }

    /** {@return whether the program wants a completion on success} The owner of the queue does not use this flag. */
    public final boolean signaled() {
        return signaled;
    }

    /** Sets {@link #signaled()}; returns this. */
    public final T signaled(boolean value) {
        signaled = value;
        return self();
    }

    /** {@return whether the message asks the peer to raise an event (Sends and Immediate Data)} */
    public final boolean solicited() {
        return solicited;
    }

    /** Sets {@link #solicited()}; returns this. */
    public final T solicited(boolean value) {
        solicited = value;
        return self();
    }

    /** {@return the STag of the peer's memory: target of a Write, Write-Record or Atomic, source of a Read} */
    public final int remoteSTag() {
        return remoteSTag;
    }

    /** {@return the tagged offset in the peer's memory} */
    public final long remoteOffset() {
        return remoteOffset;
    }

    /** Sets {@link #remoteSTag()} and {@link #remoteOffset()}; returns this. */
    public final T remote(int sTag, long taggedOffset) {
        remoteSTag = sTag;
        remoteOffset = taggedOffset;
        return self();
    }

    @SuppressWarnings("unchecked") // T is the class of this
    private T self() {
        return (T) this;
    }
}
