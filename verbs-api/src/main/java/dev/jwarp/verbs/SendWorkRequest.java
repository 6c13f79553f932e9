package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for the send queue: {@code ibv_send_wr}. A new one is a signalled Send of nothing.
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

    /** Makes a signalled Send of nothing. */
    public SendWorkRequest() {
        super();
    }

    @Override
    SendWorkRequest self() {
        return this;
    }

    /**
     * Makes it as new.
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
     * Makes it a Send.
     *
     * @return this request
     */
    public SendWorkRequest send() {
        opcode = WorkRequestOpcode.SEND;
        return this;
    }

    /**
     * Makes it a Send that invalidates the STag {@code peerKey} of the peer (RFC 5040 §5.3).
     *
     * @param peerKey the key of the peer's memory
     * @return this request
     */
    public SendWorkRequest sendWithInvalidate(int peerKey) {
        opcode = WorkRequestOpcode.SEND_WITH_INV;
        invalidateRkey = peerKey;
        return this;
    }

    /**
     * Makes it an RDMA Write to the peer's memory.
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @return this request
     */
    public SendWorkRequest rdmaWrite(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.RDMA_WRITE, peerAddress, peerKey);
    }

    /**
     * Makes it an RDMA Write followed by Immediate Data.
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @param immediateData 8 bytes (RFC 7306 §6), most significant first on the wire
     * @return this request
     */
    public SendWorkRequest rdmaWriteWithImmediate(long peerAddress, int peerKey, long immediateData) {
        immediate = immediateData;
        return remote(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, peerAddress, peerKey);
    }

    /**
     * Makes it a Write-Record to the peer's memory (datagram-iWARP §7): the peer's program gets a completion that says
     * what arrived.
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @return this request
     */
    public SendWorkRequest writeRecord(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.WRITE_RECORD, peerAddress, peerKey);
    }

    /**
     * Makes it Immediate Data of 8 bytes without other data (RFC 7306 §6).
     *
     * @param immediateData 8 bytes, most significant first on the wire
     * @return this request
     */
    public SendWorkRequest immediateData(long immediateData) {
        opcode = WorkRequestOpcode.IMMEDIATE_DATA;
        immediate = immediateData;
        return this;
    }

    /**
     * Makes it an RDMA Read of the peer's memory into its element: one at most, as the request on the wire names one sink
     * (RFC 5040 §4.4). Posting it with more is refused.
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @return this request
     */
    public SendWorkRequest rdmaRead(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.RDMA_READ, peerAddress, peerKey);
    }

    /**
     * Makes it an RDMA Read that invalidates the STag of its (single) element when done.
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @return this request
     */
    public SendWorkRequest rdmaReadWithInvalidate(long peerAddress, int peerKey) {
        return remote(WorkRequestOpcode.RDMA_READ_WITH_INV, peerAddress, peerKey);
    }

    /**
     * Makes it an Atomic compare and swap of 8 bytes; the old value is put into the (single) element of 8 bytes, in the
     * machine's byte order, for {@link MemoryRegion#getAtomic}.
     *
     * @param peerAddress a multiple of 8
     * @param peerKey the key of the peer's memory
     * @param expected the value that must be there
     * @param replacement the value to put there
     * @return this request
     */
    public SendWorkRequest compareAndSwap(long peerAddress, int peerKey, long expected, long replacement) {
        return compareAndSwap(peerAddress, peerKey, expected, -1L, replacement, -1L);
    }

    /**
     * As {@link #compareAndSwap(long, int, long, long)}, on the bits of the masks only (RFC 7306 §5.1.2).
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @param expected the value that must be there
     * @param compareMask the bits to compare
     * @param replacement the value to put there
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
     * Makes it an Atomic addition to 8 bytes; the old value is put into the (single) element of 8 bytes, in the
     * machine's byte order, for {@link MemoryRegion#getAtomic}.
     *
     * @param peerAddress a multiple of 8
     * @param peerKey the key of the peer's memory
     * @param addend what to add
     * @return this request
     */
    public SendWorkRequest fetchAndAdd(long peerAddress, int peerKey, long addend) {
        return fetchAndAdd(peerAddress, peerKey, addend, 0L);
    }

    /**
     * As {@link #fetchAndAdd(long, int, long)}, as several additions side by side (RFC 7306 §5.1.1).
     *
     * @param peerAddress where in the peer's memory
     * @param peerKey the key of the peer's memory
     * @param addend what to add
     * @param boundaryMask a 1 at the most significant bit of each field; its carry is dropped
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
     * Makes it the invalidation of a local STag.
     *
     * @param key the key of our region or window
     * @return this request
     */
    public SendWorkRequest localInvalidate(int key) {
        opcode = WorkRequestOpcode.LOCAL_INV;
        invalidateRkey = key;
        return this;
    }

    /**
     * Makes it the binding of a window to a part of a region; a binding the window has ends with it.
     *
     * @param memoryWindow the window
     * @param region of which a part is bound
     * @param address of the first byte, within the region's addresses, and also the address the peer uses
     * @param length bytes; 0 only ends the binding
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
     * @param region of which a part is bound
     * @param address of the first byte, within the region's addresses
     * @param length bytes; 0 only ends the binding
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
     * Says whether a success is reported; failures always are.
     *
     * @param yes true to report it
     * @return this request
     */
    public SendWorkRequest signaled(boolean yes) {
        signaled = yes;
        return this;
    }

    /**
     * Says whether it waits until all earlier RDMA Reads and Atomics are complete.
     *
     * @param yes true to wait
     * @return this request
     */
    public SendWorkRequest fence(boolean yes) {
        fence = yes;
        return this;
    }

    /**
     * Says whether the peer's solicited-only notification is to fire (Sends and Immediate Data).
     *
     * @param yes true to fire it
     * @return this request
     */
    public SendWorkRequest solicited(boolean yes) {
        solicited = yes;
        return this;
    }

    /**
     * Says whether the elements' data are copied at the posting, so that their memory is free at once (Sends and RDMA
     * Writes, up to {@link QueuePairAttributes#maxInlineData} bytes).
     *
     * @param yes true to copy
     * @return this request
     */
    public SendWorkRequest inline(boolean yes) {
        inline = yes;
        return this;
    }

    /**
     * Sends data that are in no region: copied at the posting, in place of the elements.
     *
     * @param data from its position to its limit, neither of which is changed; null: use the elements
     * @return this request
     */
    public SendWorkRequest inlineData(@Nullable ByteBuffer data) {
        inlineData = data;
        inline = data != null;
        return this;
    }

    /**
     * Says where it goes; datagram queue pairs need it in each request.
     *
     * @param peer a handle of this queue pair
     * @return this request
     */
    public SendWorkRequest destination(AddressHandle peer) {
        destination = RdmaException.requireArgument(peer, "peer");
        return this;
    }

    /**
     * Says how long an RDMA Read over datagrams waits for its data, and no longer, also if some of it still comes; null:
     * {@link DatagramTimeouts#read}. Over a reliable channel the time begins when the peer has taken the request.
     *
     * @param patience how long; null for the default
     * @return this request
     */
    public SendWorkRequest timeout(@Nullable Duration patience) {
        timeout = patience;
        return this;
    }

    /** {@return where it goes, or null} */
    public @Nullable AddressHandle destination() {
        return destination;
    }

    /** {@return how long an RDMA Read waits, or null} */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** {@return what it asks for} */
    public WorkRequestOpcode opcode() {
        return opcode;
    }

    /** {@return whether a success is reported} */
    public boolean signaled() {
        return signaled;
    }

    /** {@return whether it waits for earlier RDMA Reads and Atomics} */
    public boolean fence() {
        return fence;
    }

    /** {@return whether the peer's solicited-only notification is to fire} */
    public boolean solicited() {
        return solicited;
    }

    /** {@return whether data are copied at the posting} */
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

    /** {@return the key to invalidate: the peer's for SEND_WITH_INV, ours for LOCAL_INV} */
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

    /** {@return the region to bind it to, or null} */
    public @Nullable MemoryRegion windowRegion() {
        return windowRegion;
    }

    /** {@return where the binding begins} */
    public long windowAddress() {
        return windowAddress;
    }

    /** {@return the length of the binding in bytes} */
    public long windowLength() {
        return windowLength;
    }

    /** {@return the rights of the binding: bits of {@link AccessFlag#bit}} */
    public int windowAccess() {
        return windowAccess;
    }
}
