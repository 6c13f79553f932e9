package dev.jwarp.rdmap.message;

/**
 * The header of an Atomic Request, behind the untagged DDP header: a reusable view. RFC 7306 §5.2.1.
 *
 * <pre>
 *  octet  0                     4            8             12
 *         Reserved 28 | AOp 4 | Request id | Remote STag | Remote TO (8)
 *        20                     28                          36                 44
 *         Add / Swap Data (8) | Add / Swap Mask (8)       | Compare Data (8) | Compare Mask (8)    52 octets
 * </pre>
 *
 * <p>Reads and writes by absolute index in a big-endian buffer. One thread at a time.
 */
public final class AtomicRequestHeader extends HeaderView {
    /** 28 reserved bits, then the operation in the four lowest. */
    public static final int OPERATION_OFFSET = 0;
    /** A number that the response repeats. */
    public static final int IDENTIFIER_OFFSET = 4;
    /** STag of the target. */
    public static final int REMOTE_STAG_OFFSET = 8;
    /** Tagged offset of the target. */
    public static final int REMOTE_TO_OFFSET = 12;
    /** Addend or new value. */
    public static final int DATA_OFFSET = 20;
    /** Top bits of the fields of an addition, or the bits that a swap may change. */
    public static final int MASK_OFFSET = 28;
    /** The value that a swap expects. */
    public static final int COMPARE_OFFSET = 36;
    /** The bits a swap compares. */
    public static final int COMPARE_MASK_OFFSET = 44;
    /** Octets of the header. */
    public static final int LENGTH = 52;

    /** RFC 7306 §5.2.1, §10.1: FetchAdd. */
    public static final int FETCH_ADD = 0;
    /** RFC 7306 §5.2.1, §10.1: CmpSwap. */
    public static final int COMPARE_SWAP = 2;

    private static final int OPERATION_MASK = 0x0F;
    /** Creates a view without a header; call {@link #wrap} before any accessor. */
    public AtomicRequestHeader() {
        super(LENGTH);
    }

    /** {@return the operation, 0 to 15; the reserved bits are ignored} */
    public int operation() {
        // EXT-5.2.1-5
        return buffer.getInt(at + OPERATION_OFFSET) & OPERATION_MASK;
    }

    /** {@return the number that the response repeats} */
    public int identifier() {
        return buffer.getInt(at + IDENTIFIER_OFFSET);
    }

    /** {@return the STag of the target} */
    public int remoteSTag() {
        return buffer.getInt(at + REMOTE_STAG_OFFSET);
    }

    /** {@return the tagged offset of the target} */
    public long remoteOffset() {
        return buffer.getLong(at + REMOTE_TO_OFFSET);
    }

    /** {@return the addend or the new value} */
    public long data() {
        return buffer.getLong(at + DATA_OFFSET);
    }

    /** {@return the mask that belongs to {@link #data()}} */
    public long mask() {
        return buffer.getLong(at + MASK_OFFSET);
    }

    /** {@return the value a swap expects} */
    public long compare() {
        return buffer.getLong(at + COMPARE_OFFSET);
    }

    /** {@return the bits a swap compares} */
    public long compareMask() {
        return buffer.getLong(at + COMPARE_MASK_OFFSET);
    }

    /** Writes operation and identifier, reserved bits zero; returns this. */
    public AtomicRequestHeader operation(int operation, int identifier) {
        buffer.putInt(at + OPERATION_OFFSET, operation & OPERATION_MASK);
        buffer.putInt(at + IDENTIFIER_OFFSET, identifier);
        return this;
    }

    /** Writes the target; returns this. */
    public AtomicRequestHeader remote(int sTag, long taggedOffset) {
        buffer.putInt(at + REMOTE_STAG_OFFSET, sTag);
        buffer.putLong(at + REMOTE_TO_OFFSET, taggedOffset);
        return this;
    }

    /** Writes the addend or the new value, and its mask; returns this. */
    public AtomicRequestHeader data(long data, long mask) {
        buffer.putLong(at + DATA_OFFSET, data);
        buffer.putLong(at + MASK_OFFSET, mask);
        return this;
    }

    /** Writes the expected value and the bits to compare; returns this. */
    public AtomicRequestHeader compare(long compare, long compareMask) {
        buffer.putLong(at + COMPARE_OFFSET, compare);
        buffer.putLong(at + COMPARE_MASK_OFFSET, compareMask);
        return this;
    }
}
