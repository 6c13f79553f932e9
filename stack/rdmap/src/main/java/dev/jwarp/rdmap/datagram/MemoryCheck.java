package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.PeerBinding;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What stands between the datagrams of peers and registered memory: checks 18 and 19 of datagram-iWARP §5, for the range of
 * a whole message, whichever of its segments comes first. Owner thread only; allocates nothing.
 */
final class MemoryCheck {
    private final STagTable table;
    private final long domain;
    private @Nullable TaggedBuffer buffer;

    MemoryCheck(STagTable table, long domain) {
        this.table = table;
        this.domain = domain;
    }

    /** {@return what the check that passed last has found} */
    TaggedBuffer buffer() {
        return Objects.requireNonNull(buffer, "a check comes first");
    }

    /**
     * Check 18: the range that a Write or Write-Record is for.
     *
     * @param to tagged offset of this segment
     * @param before octets of the message before this segment
     * @param length octets of the whole message
     * @param rights bits of {@link Access}
     * @return null if it may be placed
     */
    @Nullable
    Refusal write(
            int stag,
            long to,
            long before,
            long length,
            int rights,
            DatagramAddress source,
            int sourceQpn,
            long nowNanos) {
        TaggedBuffer found = table.find(stag);
        // RFC 5041 §7.1 (1), DG-5.2-10: the STag must be valid; datagram-iWARP §17: it may expire.
        if (found == null || !found.valid() || found.expired(nowNanos)) {
            return Refusal.STAG_INVALID;
        }
        // RFC 5041 §8.2, datagram-iWARP §9 (DG-5.2-12): domain and peers stand for the association with a stream.
        if (foreign(found, source, sourceQpn)) {
            return Refusal.STAG_PEER;
        }
        // Check 18 (DG-5.2-11).
        if (!found.allows(rights)) {
            return Refusal.STAG_RIGHTS;
        }
        // RFC 5041 §7.1 (5), DG-5.2-13: neither may the base, TO − off, lie below 0 nor the end beyond 2^64. As the
        // message is longer than what stands before this segment, a base below 0 puts its end beyond 2^64, too.
        if (wraps(to - before, length)) {
            return Refusal.TO_WRAP;
        }
        // RFC 5041 §7.1 (3), (4), DG-5.2-14: the whole range of the message.
        if (!found.contains(to - before, length)) {
            return Refusal.TO_BOUNDS;
        }
        buffer = found;
        return null;
    }

    /** Check 19: the range that a Read of one octet or more is for (RFC 5040 §7.2; DG-5.2-12, DG-5.2-13, DG-5.2-17). */
    @Nullable
    Refusal read(int stag, long to, long length, DatagramAddress source, int sourceQpn, long nowNanos) {
        TaggedBuffer found = table.find(stag);
        if (found == null || !found.valid() || found.expired(nowNanos)) {
            return Refusal.READ_STAG_INVALID;
        }
        if (foreign(found, source, sourceQpn)) {
            return Refusal.READ_STAG_PEER;
        }
        if (!found.allows(Access.REMOTE_READ)) {
            return Refusal.READ_RIGHTS;
        }
        if (wraps(to, length)) {
            return Refusal.READ_WRAP;
        }
        if (!found.contains(to, length)) {
            return Refusal.READ_BOUNDS;
        }
        buffer = found;
        return null;
    }

    private boolean foreign(TaggedBuffer found, DatagramAddress source, int sourceQpn) {
        // A window that is bound to a stream is for nobody else.
        if (found.domain() != domain || found.streamId() != 0) {
            return true;
        }
        PeerBinding peers = found.peers();
        return peers != null && !peers.admits(source, sourceQpn);
    }

    /** {@return true if the unsigned sum passes, or exactly reaches, 2^64} */
    private static boolean wraps(long to, long length) {
        return length != 0 && Long.compareUnsigned(to + length, to) <= 0;
    }
}
