package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for the send queue: {@code ibv_send_wr}. A new request is a signalled Send without data.
 *
 * <pre>{@code
 * queuePair.postSend(request.clear().id(7).rdmaWrite(peerAddress, peerKey).add(region, 0, 65536));
 * }</pre>
 */
public final class SendWorkRequest extends WorkRequest<SendWorkRequest> {
    private WorkRequestOpcode opcode = WorkRequestOpcode.SEND;
    private boolean signaled = true;
    private boolean fence;
    private boolean solicited;
    private boolean inline;
    private @Nullable ByteBuffer inlineData;
    private long remoteAddress;
    private int rkey;
    private int invalidateRkey;
    private long immediate;
    private long compareAdd;
    private long swap;
    private long compareAddMask;
    private long swapMask;
    private @Nullable MemoryWindow window;
    private @Nullable MemoryRegion windowRegion;
    private long windowAddress;
    private long windowLength;
    private int windowAccess;
    private @Nullable AddressHandle destination;
    private @Nullable Duration timeout;

    /** Creates a signalled Send without data. */
    public SendWorkRequest() {
        super();
    }

    @Override
    SendWorkRequest self() {
        return this;
    }

    /**
     * Resets the request to a signalled Send without data.
     *
     * @return this request
     */
    public SendWorkRequest clear() {
        clearCommon();
        opcode = WorkRequestOpcode.SEND;
        signaled = true;
        fence = false;
        solicited = false;
        inline = false;
        inlineData = null;
        window = null;
        windowRegion = null;
        destination = null;
        timeout = null;
        return this;
    }

    /**
     * Sets the operation to a Send.
     *
     * @return this request
     */
    public SendWorkRequest send() {
        opcode = WorkRequestOpcode.SEND;
        return this;
    }

    /**
     * Sets the operation to a Send that invalidates the STag {@code peerKey} of the peer (RFC 5040 §5.3).
     *
     * @param peerKey key of the peer's memory
     * @return this request
     */
    public SendWorkRequest sendWithInvalidate(int peerKey) {
        opcode = WorkRequestOpcode.SEND_WITH_INV;
        invalidateRkey = peerKey;
        return this;
    }

    /**
     * Sets the operation to an RDMA Write to the peer's memory, over RC or RD; UD has {@link #writeRecord}.
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @return this request
     */
    public SendWorkRequest rdmaWrite(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.RDMA_WRITE, peerAddress, peerKey);
    }

    /**
     * Sets the operation to an RDMA Write followed by Immediate Data.
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @param immediateData 8 bytes (RFC 7306 §6), big-endian on the wire
     * @return this request
     */
    public SendWorkRequest rdmaWriteWithImmediate(long peerAddress, int peerKey, long immediateData) {
        immediate = immediateData;
        return remote(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, peerAddress, peerKey);
    }

    /**
     * Sets the operation to a Write-Record to the peer's memory (datagram-iWARP §7): the peer's program gets a
     * completion that tells which bytes arrived.
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @return this request
     */
    public SendWorkRequest writeRecord(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.WRITE_RECORD, peerAddress, peerKey);
    }

    /**
     * Sets the operation to 8 bytes of Immediate Data alone (RFC 7306 §6).
     *
     * @param immediateData 8 bytes, big-endian on the wire
     * @return this request
     */
    public SendWorkRequest immediateData(long immediateData) {
        opcode = WorkRequestOpcode.IMMEDIATE_DATA;
        immediate = immediateData;
        return this;
    }

    /**
     * Sets the operation to an RDMA Read of the peer's memory into the element of this request. At most one element is
     * permitted, because a Read Request has one sink (RFC 5040 §4.4).
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @return this request
     */
    public SendWorkRequest rdmaRead(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.RDMA_READ, peerAddress, peerKey);
    }

    /**
     * Sets the operation to an RDMA Read that invalidates the STag of its element when the Read completes.
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @return this request
     */
    public SendWorkRequest rdmaReadWithInvalidate(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.RDMA_READ_WITH_INV, peerAddress, peerKey);
    }

    /**
     * Sets the operation to an Atomic compare and swap of 8 bytes. The old value is stored in the single element of 8
     * bytes, in the machine's byte order; read it with {@link MemoryRegion#getAtomic}.
     *
     * @param peerAddress a multiple of 8
     * @param peerKey key of the peer's memory
     * @param expected the value to compare with
     * @param replacement the new value
     * @return this request
     */
    public SendWorkRequest compareAndSwap(long peerAddress, int peerKey, long expected, long replacement) {
        return compareAndSwap(peerAddress, peerKey, expected, -1L, replacement, -1L);
    }

    /**
     * As {@link #compareAndSwap(long, int, long, long)}, limited to the bits of the masks (RFC 7306 §5.1.2).
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @param expected the value to compare with
     * @param compareMask the bits to compare
     * @param replacement the new value
     * @param replacementMask the bits to replace
     * @return this request
     */
    public SendWorkRequest compareAndSwap(
            long peerAddress, int peerKey, long expected, long compareMask, long replacement, long replacementMask) {
        compareAdd = expected;
        compareAddMask = compareMask;
        swap = replacement;
        swapMask = replacementMask;
        return remote(WorkRequestOpcode.ATOMIC_CMP_AND_SWP, peerAddress, peerKey);
    }

    /**
     * Sets the operation to an Atomic addition to 8 bytes. The old value is stored in the single element of 8 bytes, in
     * the machine's byte order; read it with {@link MemoryRegion#getAtomic}.
     *
     * @param peerAddress a multiple of 8
     * @param peerKey key of the peer's memory
     * @param addend the value to add
     * @return this request
     */
    public SendWorkRequest fetchAndAdd(long peerAddress, int peerKey, long addend) {
        return fetchAndAdd(peerAddress, peerKey, addend, 0L);
    }

    /**
     * As {@link #fetchAndAdd(long, int, long)}, as several independent additions in bit fields (RFC 7306 §5.1.1).
     *
     * @param peerAddress address in the peer's memory
     * @param peerKey key of the peer's memory
     * @param addend the value to add
     * @param boundaryMask has a 1 at the most significant bit of each field; the carry out of a field is dropped
     * @return this request
     */
    public SendWorkRequest fetchAndAdd(long peerAddress, int peerKey, long addend, long boundaryMask) {
        compareAdd = addend;
        compareAddMask = boundaryMask;
        swap = 0;
        swapMask = 0;
        return remote(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, peerAddress, peerKey);
    }

    /**
     * Sets the operation to the invalidation of a local STag.
     *
     * @param key key of a local region or window
     * @return this request
     */
    public SendWorkRequest localInvalidate(int key) {
        opcode = WorkRequestOpcode.LOCAL_INV;
        invalidateRkey = key;
        return this;
    }

    /**
     * Sets the operation to the binding of a window to a part of a region. The previous binding of the window ends.
     *
     * @param memoryWindow the window
     * @param region the region
     * @param address address of the first byte, within the region's addresses; the peer uses the same address
     * @param length length in bytes; 0 only ends the previous binding
     * @param access any of the REMOTE flags
     * @return this request
     */
    public SendWorkRequest bindWindow(
            MemoryWindow memoryWindow, MemoryRegion region, long address, long length, AccessFlag... access) {
        RdmaException.requireArgument(memoryWindow, "memoryWindow");
        RdmaException.requireArgument(region, "region");
        RdmaException.requireArguments(access, "access");
        opcode = WorkRequestOpcode.BIND_MW;
        window = memoryWindow;
        windowRegion = region;
        windowAddress = address;
        windowLength = length;
        windowAccess = 0;
        for (AccessFlag flag : access) {
            windowAccess |= flag.bit();
        }
        return this;
    }

    /**
     * As {@link #bindWindow(MemoryWindow, MemoryRegion, long, long, AccessFlag...)}, with the flags as a set.
     *
     * @param memoryWindow the window
     * @param region the region
     * @param address address of the first byte, within the region's addresses
     * @param length length in bytes; 0 only ends the previous binding
     * @param access any of the REMOTE flags
     * @return this request
     */
    public SendWorkRequest bindWindow(
            MemoryWindow memoryWindow, MemoryRegion region, long address, long length, Set<AccessFlag> access) {
        AccessFlag[] flags = RdmaException.requireArgument(access, "access").toArray(AccessFlag[]::new);
        return bindWindow(memoryWindow, region, address, length, flags);
    }

    private SendWorkRequest remote(WorkRequestOpcode operation, long peerAddress, int peerKey) {
        opcode = operation;
        remoteAddress = peerAddress;
        rkey = peerKey;
        return this;
    }

    /**
     * Sets whether success causes a completion. Failure always does.
     *
     * @param yes true for a completion on success
     * @return this request
     */
    public SendWorkRequest signaled(boolean yes) {
        signaled = yes;
        return this;
    }

    /**
     * Sets whether the request waits until all earlier RDMA Reads and Atomics are complete.
     *
     * @param yes true to wait
     * @return this request
     */
    public SendWorkRequest fence(boolean yes) {
        fence = yes;
        return this;
    }

    /**
     * Sets whether the message triggers a solicited-only notification of the peer (Sends and Immediate Data).
     *
     * @param yes true to trigger it
     * @return this request
     */
    public SendWorkRequest solicited(boolean yes) {
        solicited = yes;
        return this;
    }

    /**
     * Sets whether posting copies the data of the elements, so that the program may reuse their memory at once (Sends
     * and RDMA Writes, up to {@link QueuePairAttributes#maxInlineData} bytes).
     *
     * @param yes true to copy
     * @return this request
     */
    public SendWorkRequest inline(boolean yes) {
        inline = yes;
        return this;
    }

    /**
     * Sends data outside any region, in place of the elements. Posting copies the data.
     *
     * @param data the data from position to limit, neither of which changes; null to send the elements
     * @return this request
     */
    public SendWorkRequest inlineData(@Nullable ByteBuffer data) {
        inlineData = data;
        inline = data != null;
        return this;
    }

    /**
     * Sets the destination. Required in each request for a datagram queue pair.
     *
     * @param peer an address handle of the queue pair
     * @return this request
     */
    public SendWorkRequest destination(AddressHandle peer) {
        destination = RdmaException.requireArgument(peer, "peer");
        return this;
    }

    /**
     * Sets the timeout of an RDMA Read over datagrams. The Read ends after this time even if data are still arriving.
     * Over a reliable channel the time starts when the peer has accepted the request.
     *
     * @param patience the timeout; null for {@link DatagramTimeouts#read}
     * @return this request
     */
    public SendWorkRequest timeout(@Nullable Duration patience) {
        timeout = patience;
        return this;
    }

    /** {@return the destination, or null} */
    public @Nullable AddressHandle destination() {
        return destination;
    }

    /** {@return the timeout of an RDMA Read, or null} */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** {@return the operation} */
    public WorkRequestOpcode opcode() {
        return opcode;
    }

    /** {@return whether success causes a completion} */
    public boolean signaled() {
        return signaled;
    }

    /** {@return whether the request waits for earlier RDMA Reads and Atomics} */
    public boolean fence() {
        return fence;
    }

    /** {@return whether the message triggers a solicited-only notification of the peer} */
    public boolean solicited() {
        return solicited;
    }

    /** {@return whether posting copies the data} */
    public boolean inline() {
        return inline;
    }

    /** {@return the data to send in place of the elements, or null} */
    public @Nullable ByteBuffer inlineData() {
        return inlineData;
    }

    /** {@return the peer's address} */
    public long remoteAddress() {
        return remoteAddress;
    }

    /** {@return the peer's key} */
    public int rkey() {
        return rkey;
    }

    /** {@return the key to invalidate: the peer's for SEND_WITH_INV, a local key for LOCAL_INV} */
    public int invalidateRkey() {
        return invalidateRkey;
    }

    /** {@return the 8 bytes of Immediate Data} */
    public long immediate() {
        return immediate;
    }

    /** {@return the value to compare with or to add} */
    public long compareAdd() {
        return compareAdd;
    }

    /** {@return the bits to compare, or the boundaries of the additions} */
    public long compareAddMask() {
        return compareAddMask;
    }

    /** {@return the value to swap in} */
    public long swap() {
        return swap;
    }

    /** {@return the bits to swap} */
    public long swapMask() {
        return swapMask;
    }

    /** {@return the window to bind, or null} */
    public @Nullable MemoryWindow window() {
        return window;
    }

    /** {@return the region to bind the window to, or null} */
    public @Nullable MemoryRegion windowRegion() {
        return windowRegion;
    }

    /** {@return the first address of the binding} */
    public long windowAddress() {
        return windowAddress;
    }

    /** {@return the length of the binding in bytes} */
    public long windowLength() {
        return windowLength;
    }

    /** {@return the access flags of the binding as bits: {@link AccessFlag#bit}} */
    public int windowAccess() {
        return windowAccess;
    }
}
