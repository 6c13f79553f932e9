package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The description of an end, big-endian:
 *
 * <pre>
 *    0: LID (4) | 4: RDMA Reads outstanding (4) | 8: queue pair (4) | 12: PSN (4) | 16: STag (4) | 20: nothing (4) |
 *   24: address (8) | 32: GID (16) | 48: shared receive queue (4) | 52: index of the GID (4)
 * </pre>
 *
 * Over iWARP only STag and address matter; perftest prints the rest. The ends also exchange these 56 bytes, with any
 * content, to wait for each other.
 *
 * @param outstandingReads RDMA Reads at a time
 * @param queuePair the number of the queue pair
 * @param stag of the memory that the peer may use
 * @param address of that memory
 * @param gid 16 bytes: an IPv4 address is in the last four, behind ff ff
 */
public record Destination(int outstandingReads, int queuePair, int stag, long address, byte[] gid) {
    static final int LENGTH = 56;
    /** The content of swaps that only wait. */
    static final Destination NOTHING = new Destination(0, 0, 0, 0, new byte[16]);

    private static final int READS_OFFSET = 4;
    private static final int QUEUE_PAIR_OFFSET = 8;
    private static final int STAG_OFFSET = 16;
    private static final int ADDRESS_OFFSET = 24;
    private static final int GID_OFFSET = 32;
    private static final int GID_LENGTH = 16;

    /** Copies the GID. */
    public Destination {
        if (gid.length != GID_LENGTH) {
            throw new IllegalArgumentException("a GID has " + GID_LENGTH + " bytes, not " + gid.length);
        }
        gid = gid.clone();
    }

    @Override
    public byte[] gid() {
        return gid.clone();
    }

    /** Writes the destination at index 0. */
    void write(ByteBuffer target) {
        target.put(0, new byte[LENGTH])
                .putInt(READS_OFFSET, outstandingReads)
                .putInt(QUEUE_PAIR_OFFSET, queuePair)
                .putInt(STAG_OFFSET, stag)
                .putLong(ADDRESS_OFFSET, address)
                .put(GID_OFFSET, gid);
    }

    /** {@return the fault of the message, for the user; null if it can be read} */
    static @Nullable String fault(ByteBuffer message, int length) {
        return length == LENGTH ? null : "a destination has " + LENGTH + " bytes, this message has " + length;
    }

    /** {@return the destination in a message} The message must have no {@link #fault}. */
    static Destination read(ByteBuffer message) {
        byte[] gid = new byte[GID_LENGTH];
        message.get(GID_OFFSET, gid);
        return new Destination(
                message.getInt(READS_OFFSET),
                message.getInt(QUEUE_PAIR_OFFSET),
                message.getInt(STAG_OFFSET),
                message.getLong(ADDRESS_OFFSET),
                gid);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Destination that
                && outstandingReads == that.outstandingReads
                && queuePair == that.queuePair
                && stag == that.stag
                && address == that.address
                && Arrays.equals(gid, that.gid);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(gid) + 31 * (queuePair + 31 * (stag + 31 * Long.hashCode(address)));
    }

    @Override
    public String toString() {
        return String.format("queue pair 0x%06x, STag 0x%08x, address 0x%x", queuePair, stag, address);
    }
}
