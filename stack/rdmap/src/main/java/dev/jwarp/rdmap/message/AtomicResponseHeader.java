package dev.jwarp.rdmap.message;

/**
 * The header of an Atomic Response, behind the untagged DDP header: a reusable view. RFC 7306 §5.2.2, figure 6 (the text
 * of §4 speaks of 32 octets; the figure has 12).
 *
 * <pre>
 *  octet  0                             4
 *         Original Request Identifier | Original Remote Data Value (8)      12 octets
 * </pre>
 *
 * <p>Reads and writes by absolute index in a big-endian buffer. One thread at a time.
 */
public final class AtomicResponseHeader extends HeaderView {
    /** The number of the request. */
    public static final int IDENTIFIER_OFFSET = 0;
    /** The value before the operation. */
    public static final int VALUE_OFFSET = 4;
    /** Octets of the header. */
    public static final int LENGTH = 12;

    /** Creates a view without a header; call {@link #wrap} before any accessor. */
    public AtomicResponseHeader() {
        super(LENGTH);
    }

    /** {@return the number of the request} */
    public int identifier() {
        return buffer.getInt(at + IDENTIFIER_OFFSET);
    }

    /** {@return the value before the operation} */
    public long value() {
        return buffer.getLong(at + VALUE_OFFSET);
    }

    /** Writes both fields; returns this. */
    public AtomicResponseHeader response(int identifier, long value) {
        buffer.putInt(at + IDENTIFIER_OFFSET, identifier);
        buffer.putLong(at + VALUE_OFFSET, value);
        return this;
    }
}
