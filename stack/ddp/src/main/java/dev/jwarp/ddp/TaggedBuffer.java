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
    private final int length;
    private final int access;
    private final ByteBuffer memory;
    private final int memoryOffset;
    private final @Nullable TaggedBuffer region;
    private final boolean mapped;
    private volatile boolean valid = true;
    private volatile @Nullable PeerBinding peers;
    private volatile long expiresAt = NEVER;

    TaggedBuffer(int stag, long domain, long baseOffset, int access, ByteBuffer memory) {
        this.stag = stag;
        this.domain = domain;
        this.streamId = 0;
        this.baseOffset = baseOffset;
        this.length = memory.capacity();
        this.access = access;
        this.memory = memory;
        this.memoryOffset = 0;
        this.region = null;
        this.mapped = allows(Access.MAPPED);
    }

    TaggedBuffer(
            int stag, TaggedBuffer region, long streamId, long baseOffset, int access, int memoryOffset, int length) {
        this.stag = stag;
        this.domain = region.domain;
        this.streamId = streamId;
        this.baseOffset = baseOffset;
        this.length = length;
        this.access = access;
        this.memory = region.memory;
        this.memoryOffset = memoryOffset;
        this.region = region;
        this.mapped = region.mapped;
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
    public int length() {
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

    /**
     * {@return the memory that holds the range, big-endian, as a view of jwarp's own whose limit is its capacity}
     * Absolute access only: changing position, limit or order would change them for every connection.
     */
    public ByteBuffer memory() {
        return memory;
    }

    /** {@return whether its pages may go away: each copy from or to it is to be settled, see {@link MappedMemory}} */
    public boolean mapped() {
        return mapped;
    }

    /** {@return index in {@link #memory} of the first octet: 0 for a region} */
    public int memoryOffset() {
        return memoryOffset;
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

    /** {@return index in {@link #memory} of the octet at tagged offset {@code to}, which must lie within the range} */
    public int index(long to) {
        return memoryOffset + (int) (to - baseOffset);
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
