package dev.jwarp.rdmap.message;

/**
 * The header of an RDMA Read Request, behind the untagged DDP header: a reusable view. RFC 5040 §4.4.
 *
 * <pre>
 *  octet  0           4                  12          16            20
 *         Sink STag | Sink TO (8)      | Size (4)  | Source STag | Source TO (8)      28 octets
 * </pre>
 *
 * <p>Reads and writes by absolute index in a big-endian buffer. One thread at a time.
 */
public final class ReadRequestHeader extends HeaderView {
    /** STag of the data sink; the data source copies it into the Response unchecked. */
    public static final int SINK_STAG_OFFSET = 0;
    /** Tagged offset of the data sink; the data source copies it into the Response unchecked. */
    public static final int SINK_TO_OFFSET = 4;
    /** RDMA Read Message Size: octets wanted, unsigned. */
    public static final int SIZE_OFFSET = 12;
    /** STag of the memory to read. */
    public static final int SOURCE_STAG_OFFSET = 16;
    /** Tagged offset to read from. */
    public static final int SOURCE_TO_OFFSET = 20;
    /** Octets of the header. */
    public static final int LENGTH = 28;

    /** Creates a view without a header; call {@link #wrap} before any accessor. */
    public ReadRequestHeader() {
        super(LENGTH);
    }

    /** {@return the STag of the data sink} */
    public int sinkSTag() {
        return buffer.getInt(at + SINK_STAG_OFFSET);
    }

    /** {@return the tagged offset of the data sink} */
    public long sinkOffset() {
        return buffer.getLong(at + SINK_TO_OFFSET);
    }

    /** {@return the octets wanted, 0 to 2^32 - 1} */
    public long size() {
        return buffer.getInt(at + SIZE_OFFSET) & 0xffff_ffffL;
    }

    /** {@return the STag of the data source} */
    public int sourceSTag() {
        return buffer.getInt(at + SOURCE_STAG_OFFSET);
    }

    /** {@return the tagged offset of the data source} */
    public long sourceOffset() {
        return buffer.getLong(at + SOURCE_TO_OFFSET);
    }

    /** Writes the data sink; returns this. */
    public ReadRequestHeader sink(int sTag, long taggedOffset) {
        buffer.putInt(at + SINK_STAG_OFFSET, sTag);
        buffer.putLong(at + SINK_TO_OFFSET, taggedOffset);
        return this;
    }

    /** Writes the octets wanted, 0 to 2^32 - 1; returns this. */
    public ReadRequestHeader size(long octets) {
        buffer.putInt(at + SIZE_OFFSET, (int) octets);
        return this;
    }

    /** Writes the data source; returns this. */
    public ReadRequestHeader source(int sTag, long taggedOffset) {
        buffer.putInt(at + SOURCE_STAG_OFFSET, sTag);
        buffer.putLong(at + SOURCE_TO_OFFSET, taggedOffset);
        return this;
    }
}
