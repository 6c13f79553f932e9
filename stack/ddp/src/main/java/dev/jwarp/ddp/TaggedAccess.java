package dev.jwarp.ddp;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * All checks of accesses to registered memory, by peers and by the program. One object serves one stream, one datagram
 * queue pair, or the requests of a program. A passed check leaves the buffer in {@link #buffer}; {@link #place} then
 * copies once. Reusable; one thread at a time except {@link #judge}; allocates nothing.
 */
public final class TaggedAccess {
    /** RFC 7306 §5: Atomics work on eight octets. */
    private static final int ATOMIC_LENGTH = 8;

    /** The requester of a datagram access. Datagrams have no stream, so the peer and the time are checked instead. */
    public interface Asker {
        /** {@return whether the requester is one of these peers} */
        boolean isOf(PeerBinding peers);

        /** {@return the time of the request} */
        long nowNanos();
    }

    private final STagTable table;
    private final long domain;
    private final long streamId;

    private @Nullable TaggedBuffer buffer;
    private long position;

    /**
     * Creates the checks.
     *
     * @param domain the protection domain
     * @param streamId number of the stream, to which windows may be bound; 0 without a stream
     */
    public TaggedAccess(STagTable table, long domain, long streamId) {
        this.table = table;
        this.domain = domain;
        this.streamId = streamId;
    }

    /**
     * Checks a range, and keeps its buffer if the access is permitted.
     *
     * @param to unsigned
     * @param length octets, 0 to 2^32 - 1; a length of 0 is checked too
     * @param rights bits of {@link Access}
     * @param asker the requester with datagrams; otherwise null
     * @return null if the access is permitted, otherwise the first failed check
     */
    public @Nullable AccessFault admit(int stag, long to, long length, int rights, @Nullable Asker asker) {
        TaggedBuffer found = table.find(stag);
        AccessFault fault = judge(found, to, length, rights, asker);
        if (found == null || fault != null) {
            buffer = null;
            return fault;
        }
        buffer = found;
        position = found.position(to);
        return null;
    }

    /**
     * Checks a range of a buffer from the table, without keeping it. Any thread.
     *
     * @param found null if the table has nothing
     * @return null if the access is permitted, otherwise the first failed check
     */
    public @Nullable AccessFault judge(
            @Nullable TaggedBuffer found, long to, long length, int rights, @Nullable Asker asker) {
        // RFC 5041 §7.1 (1), DDP-7.1-6, RDMAP-7.2-4, DG-5.2-10: the STag must be valid. Datagram-iWARP §17: for
        // datagrams it may expire.
        if (found == null || !found.valid() || (asker != null && found.expired(asker.nowNanos()))) {
            return AccessFault.STAG_INVALID;
        }
        // RFC 5041 §7.1 (1), §8.2, DDP-7.1-7, RDMAP-7.2-5: the STag must belong to this stream; datagram-iWARP §9,
        // DG-5.2-10: for datagrams, to this peer.
        if (foreign(found) || (asker != null && keptFrom(asker, found))) {
            return AccessFault.NOT_ASSOCIATED;
        }
        // RFC 5041 §8.3.1 (5), RDMAP-7.2-8, SEC-6.3.5-1, DG-5.2-10: the STag must grant the rights.
        if (!found.allows(rights)) {
            return AccessFault.RIGHTS;
        }
        // RFC 5041 §7.1 (5), DDP-7.1-9, RDMAP-7.2-7, DG-5.2-10: TO + length must not wrap; before the bounds, so that
        // it gets its own code.
        if (wraps(to, length)) {
            return AccessFault.WRAP;
        }
        // RFC 5041 §7.1 (3), (4), DDP-7.1-8, RDMAP-7.2-6, SEC-6.2.1-1, SEC-6.3.1-1, DG-5.2-10: every octet must lie
        // within the buffer.
        if (!found.contains(to, length)) {
            return AccessFault.BOUNDS;
        }
        return null;
    }

    /**
     * Checks an RDMA Write segment before placement (RFC 5041 §7.1, RFC 5040 §7.1).
     *
     * @param to unsigned
     * @param length octets of payload; a length of 0 is not checked
     * @return null if it may be placed, else the DDP code
     */
    public @Nullable TerminateCode checkWrite(int stag, long to, int length) {
        return checkPlacement(stag, to, length, Access.REMOTE_WRITE);
    }

    /**
     * Checks an RDMA Read Response segment before placement. The caller checks that the segment answers our outstanding
     * Read. The sink needs no right for peers (RFC 5040 §5.2), but must be valid and locally writable.
     *
     * @return null if it may be placed, else the DDP code
     */
    public @Nullable TerminateCode checkSink(int stag, long to, int length) {
        return checkPlacement(stag, to, length, Access.LOCAL_WRITE);
    }

    private @Nullable TerminateCode checkPlacement(int stag, long to, int length, int right) {
        // RFC 5041 §5.2, DDP-5.2-4: STag and TO of a zero-length tagged message must not be checked.
        if (length == 0) {
            buffer = null;
            return null;
        }
        AccessFault fault = admit(stag, to, length, right, null);
        return fault == null ? null : fault.ddp();
    }

    /**
     * Checks the source of an RDMA Read Request, on delivery and again before each segment of the response is read (RFC
     * 5040 §7.1, §7.2).
     *
     * @param to unsigned
     * @param length octets to read, 0 to 2^32 - 1; a length of 0 is not checked (RFC 5040 §5.2.1, RDMAP-5.2.1-4)
     * @return null if it may be read, else the RDMAP code
     */
    public @Nullable TerminateCode checkRemoteRead(int stag, long to, long length) {
        if (length == 0) {
            buffer = null;
            return null;
        }
        return checkSource(stag, to, length, Access.REMOTE_READ);
    }

    /**
     * Checks the target of an Atomic Request on delivery (RFC 7306 §8.2): eight octets.
     *
     * @return null if the Atomic is permitted, else the RDMAP code
     */
    public @Nullable TerminateCode checkAtomic(int stag, long to) {
        TerminateCode refusal = checkSource(stag, to, ATOMIC_LENGTH, Access.REMOTE_ATOMIC);
        if (refusal != null || buffer == null) {
            return refusal;
        }
        // RFC 7306 §5.1, §8.2, EXT-5.1.1-3, EXT-5.1.2-2, EXT-5.2.1-6: the address of the memory, not the tagged offset,
        // must be a multiple of eight. A word in two buffers has no address.
        if (!atomic(buffer, position)) {
            buffer = null;
            return TerminateCode.RDMAP_CATASTROPHIC_STREAM;
        }
        return null;
    }

    /** RFC 5040 §7.2: the codes are RDMAP's because the STag is in an RDMAP header. */
    private @Nullable TerminateCode checkSource(int stag, long to, long length, int right) {
        AccessFault fault = admit(stag, to, length, right, null);
        return fault == null ? null : fault.rdmap();
    }

    /**
     * Checks the STag of a Send with Invalidate on delivery (RFC 5040 §5.3).
     *
     * @param domainShared true if other streams belong to the domain too
     * @return null if the STag may be invalidated: pass {@link #buffer} to {@link STagTable#invalidate}
     */
    public @Nullable TerminateCode checkInvalidate(int stag, boolean domainShared) {
        buffer = null;
        TaggedBuffer found = table.find(stag);
        // RFC 5040 §5.3, §8.1.1 (7), RDMAP-5.3-5, RDMAP-7.2-3, SEC-6.4.5-1: the STag must not be unknown, invalid,
        // another stream's, or shared by several streams.
        if (found == null || !found.valid() || foreign(found) || (domainShared && found.streamId() == 0)) {
            return TerminateCode.RDMAP_CANNOT_INVALIDATE;
        }
        buffer = found;
        position = found.memoryOffset();
        return null;
    }

    /** {@return the buffer of the last check; null if the check failed or was skipped because the length was 0} */
    public @Nullable TaggedBuffer buffer() {
        return buffer;
    }

    /** {@return {@link TaggedBuffer#position} in {@link #buffer} of the octet at the TO checked last} */
    public long position() {
        return position;
    }

    /**
     * Places the payload that has just passed {@link #checkWrite} or {@link #checkSink} with one bulk copy. No effect
     * after a check of length 0. The caller must not call this after a failed check, or with more bytes than were
     * checked.
     *
     * @param from index of the first octet in {@code source}; positions and limits are neither used nor changed
     */
    public void place(ByteBuffer source, int from, int length) {
        if (length == 0) {
            return;
        }
        TaggedBuffer target = buffer;
        if (target == null) {
            throw new IllegalStateException("Nothing may be placed without a check that passed");
        }
        target.put(position, source, from, length);
    }

    /**
     * RFC 5041 §8.2, §8.3.1, DDP-8.2-1, SEC-6.1.1-1, SEC-6.1.1-3: the buffer is of another protection domain, or bound
     * to another single stream. Without a stream, every buffer bound to a stream is foreign.
     */
    private boolean foreign(TaggedBuffer found) {
        return found.domain() != domain || (found.streamId() != 0 && found.streamId() != streamId);
    }

    private static boolean keptFrom(Asker asker, TaggedBuffer found) {
        PeerBinding peers = found.peers();
        return peers != null && !asker.isOf(peers);
    }

    /** {@return true if the unsigned sum passes, or exactly reaches, 2^64} */
    private static boolean wraps(long to, long length) {
        return length != 0 && Long.compareUnsigned(to + length, to) <= 0;
    }

    /**
     * {@return whether the eight octets at a {@link TaggedBuffer#position} can be changed atomically: in one buffer,
     * and aligned}
     */
    public static boolean atomic(TaggedBuffer buffer, long position) {
        ByteBuffer memory = buffer.memoryAt(position);
        int index = buffer.indexAt(position);
        // Heap memory has no fixed address. Only tests register it; the index serves as the address there.
        int misaligned = memory.isDirect() ? memory.alignmentOffset(index, ATOMIC_LENGTH) : index % ATOMIC_LENGTH;
        return misaligned == 0 && buffer.contiguous(position, ATOMIC_LENGTH) == ATOMIC_LENGTH;
    }
}
