package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A registered range of memory, known to peers by its STag: a memory region, or a window into one. Made by
 * {@link STagTable}; never changes except that it can be bound to peers and to a time, and that it becomes invalid, once and
 * without a way back. Any thread.
 *
 * <p><b>Invalidation.</b> A check that begins after {@link STagTable#invalidate} or {@link STagTable#deregister} has
 * returned finds the buffer invalid. A segment that passed its check before may still be in the middle of its one bulk
 * copy: at most one such call per connection owner. A program that uses the memory for something else right after
 * invalidating it, and must not see that copy, first lets every owner finish its call in progress ({@code
 * LlpConnection.execute} runs a task behind it). Memory of a direct buffer that the JVM manages cannot go away under
 * the copy: this object holds its {@link ByteBuffer} as long as this object is reachable. Memory that is pooled, or
 * freed by hand, can: it needs that wait.
 */
public final class TaggedBuffer {
    private static final long NEVER = Long.MAX_VALUE;

    private final int stag;
    private final long domain;
    private final long streamId;
    private final long baseOffset;
    private final long length;
    private final int access;

    /** The one buffer, as nearly all regions have; null if there are {@link #pieces}. */
    private final @Nullable ByteBuffer memory;

    private final Pieces pieces;
    private final long memoryOffset;
    private final @Nullable TaggedBuffer region;
    private final boolean mapped;
    private final boolean stable;
    private volatile boolean valid = true;
    private volatile @Nullable PeerBinding peers;
    private volatile long expiresAt = NEVER;

    /** A region of one buffer. */
    TaggedBuffer(int stag, long domain, long baseOffset, int access, ByteBuffer memory) {
        this(stag, domain, baseOffset, access, memory, Pieces.NONE);
    }

    /** A region of several buffers. */
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

    /** A window. */
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

    /** {@return the one stream that may use it, or 0 for every stream of the domain (RFC 5041 §8.2)} */
    public long streamId() {
        return streamId;
    }

    /** {@return the tagged offset of the first octet, an unsigned number of 64 bits} */
    public long baseOffset() {
        return baseOffset;
    }

    /** {@return octets} */
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

    /** {@return whether its pages may go away: each copy from or to it is to be settled, see {@link MappedMemory}} */
    public boolean mapped() {
        return mapped;
    }

    /** {@return whether its memory stays as long as it is reachable} Else what is read from it is copied before it is used. */
    public boolean stable() {
        return stable;
    }

    /** {@return position of the first octet: 0 for a region, for a window its distance from the region's first} */
    public long memoryOffset() {
        return memoryOffset;
    }

    /**
     * {@return the buffer that holds the octet at a {@link #position}, big-endian, as a view of jwarp's own whose limit is its
     * capacity} Absolute access only: changing position, limit or order would change them for every connection.
     */
    public ByteBuffer memoryAt(long position) {
        ByteBuffer only = memory;
        return only != null ? only : pieces.memoryAt(position);
    }

    /** {@return the index in {@link #memoryAt} of the octet at a {@link #position}} */
    public int indexAt(long position) {
        return memory != null ? (int) position : pieces.indexAt(position);
    }

    /**
     * {@return how many of {@code length} octets from a {@link #position} on lie in {@link #memoryAt}: all, if the region has one
     * buffer; at least 1, if length is}
     */
    public int contiguous(long position, int length) {
        return memory != null ? length : pieces.contiguous(position, length);
    }

    /**
     * Copies octets to where they belong, and throws if the memory has gone away beneath.
     *
     * @param position of the first of them; all have been checked to lie within the range
     * @param from index of the first octet in {@code source}; positions and limits are neither used nor changed
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

    /** {@return the region a window looks into, or null for a region} */
    public @Nullable TaggedBuffer region() {
        return region;
    }

    /** {@return the peers that may use it by datagrams; null for all of its domain} A window has those of its region too. */
    public @Nullable PeerBinding peers() {
        return peers == null && region != null ? region.peers : peers;
    }

    /** Binds it to some peers: it holds for datagrams that are checked from now on. */
    public void bindTo(PeerBinding some) {
        peers = some;
    }

    /** Lets peers use it by datagrams until then, on the clock of all {@code nowNanos}; a later call counts. */
    public void expireAt(long nanos) {
        expiresAt = nanos == NEVER ? NEVER - 1 : nanos;
    }

    /** {@return whether the time is over in which peers may use it by datagrams} Its owner may use it still. */
    public boolean expired(long nowNanos) {
        long until = expiresAt;
        return (until != NEVER && nowNanos - until >= 0) || (region != null && region.expired(nowNanos));
    }

    /** {@return true until it, or the region it looks into, is invalidated or deregistered} */
    public boolean valid() {
        return valid && (region == null || region.valid);
    }

    /**
     * {@return true if {@code length} octets from tagged offset {@code to} lie within the range}
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
     * {@return position of the octet at tagged offset {@code to}, which must lie within the range: its distance from the first
     * octet of the region, also where this is a window}
     */
    public long position(long to) {
        return memoryOffset + (to - baseOffset);
    }

    /** {@return the tagged offset of the octet at a {@link #position} of this range} */
    public long taggedOffset(long position) {
        return baseOffset + (position - memoryOffset);
    }

    /** Takes the validity away. Idempotent. */
    void invalidate() {
        // SEC-6.2.2-1, DDP-8.3-1: no check passes from now on.
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
