package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A registered range of memory with an STag: a memory region, or a window of one. Created by {@link STagTable}.
 * Immutable, except that it can be bound to peers and to a time, and that it becomes invalid once and for all. Any
 * thread.
 *
 * <p><b>Invalidation.</b> A check that begins after {@link STagTable#invalidate} or {@link STagTable#deregister} has
 * returned finds the buffer invalid. A segment that passed its check earlier may still be in its bulk copy: at most one
 * per connection owner. Before the memory is reused, every owner must finish its call in progress ({@code
 * LlpConnection.execute} runs a task after it). A direct buffer managed by the JVM stays valid during the copy, because
 * this object references the {@link ByteBuffer}. Memory that is pooled or freed explicitly needs the wait.
 */
public final class TaggedBuffer {
    private static final long NEVER = Long.MAX_VALUE;

    private final int stag;
    private final long domain;
    private final long streamId;
    private final long baseOffset;
    private final long length;
    private final int access;

    /** The buffer of a region with one buffer, the usual case; null if there are {@link #pieces}. */
    private final @Nullable ByteBuffer memory;

    private final Pieces pieces;
    private final long memoryOffset;
    private final @Nullable TaggedBuffer region;
    private final boolean mapped;
    private final boolean stable;
    private volatile boolean valid = true;
    private volatile @Nullable PeerBinding peers;
    private volatile long expiresAt = NEVER;

    /** Creates a region of one buffer. */
    TaggedBuffer(int stag, long domain, long baseOffset, int access, ByteBuffer memory) {
        this(stag, domain, baseOffset, access, memory, Pieces.NONE);
    }

    /** Creates a region of several buffers. */
    TaggedBuffer(int stag, long domain, long baseOffset, int access, Pieces pieces) {
        this(stag, domain, baseOffset, access, null, pieces);
    }

    private TaggedBuffer(
            int stag, long domain, long baseOffset, int access, @Nullable ByteBuffer memory, Pieces pieces) {
        this.stag = stag;
        this.domain = domain;
        this.streamId = 0;
        this.baseOffset = baseOffset;
        this.length = memory == null ? pieces.length() : memory.capacity();
        this.access = access;
        this.memory = memory;
        this.pieces = pieces;
        this.memoryOffset = 0;
        this.region = null;
        this.mapped = allows(Access.MAPPED);
        this.stable = !mapped && !allows(Access.CLOSEABLE);
    }

    /** A part of the memory of a region, in bytes. */
    record Part(long offset, long length) {}

    /** Creates a window. */
    TaggedBuffer(int stag, TaggedBuffer region, Part part, long streamId, long baseOffset, int access) {
        this.stag = stag;
        this.domain = region.domain;
        this.streamId = streamId;
        this.baseOffset = baseOffset;
        this.length = part.length;
        this.access = access;
        this.memory = region.memory;
        this.pieces = region.pieces;
        this.memoryOffset = part.offset;
        this.region = region;
        this.mapped = region.mapped;
        this.stable = region.stable;
    }

    /** {@return the steering tag} */
    public int stag() {
        return stag;
    }

    /** {@return the protection domain, an opaque number} */
    public long domain() {
        return domain;
    }

    /** {@return the only stream that may use the buffer, or 0 for every stream of the domain (RFC 5041 §8.2)} */
    public long streamId() {
        return streamId;
    }

    /** {@return the tagged offset of the first byte, an unsigned number of 64 bits} */
    public long baseOffset() {
        return baseOffset;
    }

    /** {@return bytes} */
    public long length() {
        return length;
    }

    /** {@return bits of {@link Access}} */
    public int access() {
        return access;
    }

    /** {@return true if all of these bits of {@link Access} are granted} */
    public boolean allows(int bits) {
        return (access & bits) == bits;
    }

    /** {@return whether its pages may disappear, so that each copy must be settled; see {@link MappedMemory}} */
    public boolean mapped() {
        return mapped;
    }

    /** {@return whether its memory stays valid as long as it is reachable} Otherwise data are copied before use. */
    public boolean stable() {
        return stable;
    }

    /** {@return position of the first byte: 0 for a region; for a window, its distance from the region's first byte} */
    public long memoryOffset() {
        return memoryOffset;
    }

    /**
     * {@return the big-endian buffer that holds the byte at a {@link #position}, a view owned by jwarp with its limit
     * at its capacity} Absolute access only: all connections share position, limit and order.
     */
    public ByteBuffer memoryAt(long position) {
        ByteBuffer only = memory;
        return only != null ? only : pieces.memoryAt(position);
    }

    /** {@return the index in {@link #memoryAt} of the byte at a {@link #position}} */
    public int indexAt(long position) {
        return memory != null ? (int) position : pieces.indexAt(position);
    }

    /**
     * {@return how many of {@code length} bytes from a {@link #position} on are in {@link #memoryAt}: all if the region
     * has one buffer, otherwise at least 1 if length is at least 1}
     */
    public int contiguous(long position, int length) {
        return memory != null ? length : pieces.contiguous(position, length);
    }

    /**
     * Copies bytes into the range, and throws if the memory has disappeared.
     *
     * @param position position of the first byte; the caller has checked that all bytes are within the range
     * @param from index of the first byte in {@code source}; positions and limits are neither used nor changed
     */
    public void put(long position, ByteBuffer source, int from, int octets) {
        ByteBuffer only = memory;
        if (only != null) {
            only.put((int) position, source, from, octets);
        } else {
            pieces.put(position, source, from, octets);
        }
        if (mapped) {
            MappedMemory.settle();
        }
    }

    /** {@return the region of a window; null for a region} */
    public @Nullable TaggedBuffer region() {
        return region;
    }

    /**
     * {@return the peers that may use this buffer by datagrams; null for all of its domain} The binding of a region
     * also applies to its windows.
     */
    public @Nullable PeerBinding peers() {
        return peers == null && region != null ? region.peers : peers;
    }

    /** Binds this buffer to peers, for all later checks of datagrams. */
    public void bindTo(PeerBinding some) {
        peers = some;
    }

    /**
     * Sets the time until which peers may use this buffer by datagrams, on the clock {@code nowNanos}. A later call
     * replaces it.
     */
    public void expireAt(long nanos) {
        expiresAt = nanos == NEVER ? NEVER - 1 : nanos;
    }

    /** {@return whether the time for peers by datagrams is over} The owner may still use the buffer. */
    public boolean expired(long nowNanos) {
        long until = expiresAt;
        return (until != NEVER && nowNanos - until >= 0) || (region != null && region.expired(nowNanos));
    }

    /** {@return true until the buffer, or the region of a window, is invalidated or deregistered} */
    public boolean valid() {
        return valid && (region == null || region.valid);
    }

    /**
     * {@return true if {@code length} bytes from tagged offset {@code to} lie within the range}
     *
     * @param to unsigned
     * @param octets 0 to 2^32 - 1
     */
    public boolean contains(long to, long octets) {
        // The distance from the base is exact modulo 2^64; a TO below the base becomes a huge unsigned number.
        long distance = to - baseOffset;
        return Long.compareUnsigned(distance, length) <= 0 && octets <= length - distance;
    }

    /**
     * {@return position of the byte at tagged offset {@code to}, which must be within the range: its distance from the
     * first byte of the region, even for a window}
     */
    public long position(long to) {
        return memoryOffset + (to - baseOffset);
    }

    /** {@return the tagged offset of the byte at a {@link #position} of this range} */
    public long taggedOffset(long position) {
        return baseOffset + (position - memoryOffset);
    }

    /** Invalidates this buffer. Idempotent. */
    void invalidate() {
        // SEC-6.2.2-1, DDP-8.3-1: all later checks fail.
        valid = false;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "STag 0x%08x [0x%x, 0x%x) access 0x%x domain %d%s%s",
                stag,
                baseOffset,
                baseOffset + length,
                access,
                domain,
                streamId == 0 ? "" : " stream " + streamId,
                valid() ? "" : " (invalid)");
    }
}
