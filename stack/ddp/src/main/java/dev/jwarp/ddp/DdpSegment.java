package dev.jwarp.ddp;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One received DDP segment, checked: a reusable value that {@link #parse} fills, with the fields of the header and the
 * position of the payload. Keeps no reference to the ULPDU. One thread at a time; allocates nothing.
 */
public final class DdpSegment {
    /** RFC 5041 §4.1: DDP control octet and the first octet for the layer above, which every segment has. */
    private static final int COMMON_LENGTH = 2;

    private boolean tagged;
    private boolean last;
    private int ulpControl;
    private int stag;
    private long taggedOffset;
    private int ulpWord;
    private int queueNumber;
    private int messageSequenceNumber;
    private long messageOffset;
    private int headerOffset;
    private int headerLength;
    private int payloadLength;

    /** Creates an empty value. */
    public DdpSegment() {}

    /**
     * Reads the header of a ULPDU: rows 4 to 6 of the order of checks (length of the common part, DV, length of the
     * header).
     *
     * <p>If the header is complete, the fields are filled even with a version error, so that the Terminate can carry a
     * copy of the header. Otherwise {@link #headerLength} is 0.
     *
     * @param ulpdu big-endian
     * @param offset index of the first octet of the ULPDU
     * @param length octets of the ULPDU, anything the peer chose
     * @return null if the header is valid, otherwise the error
     */
    public @Nullable TerminateCode parse(ByteBuffer ulpdu, int offset, int length) {
        headerOffset = offset;
        headerLength = 0;
        payloadLength = 0;
        assert ulpdu.order() == ByteOrder.BIG_ENDIAN : "headers are read from big-endian buffers";
        if (length < COMMON_LENGTH) {
            // RFC 5040 §4.8 has no code for a segment without a complete header: unspecified, without a copy of the
            // header.
            return TerminateCode.RDMAP_OPERATION_UNSPECIFIED;
        }
        int control = ulpdu.get(offset + TaggedHeader.CONTROL_OFFSET);
        tagged = (control & DdpControl.TAGGED) != 0;
        last = (control & DdpControl.LAST) != 0;
        ulpControl = ulpdu.get(offset + TaggedHeader.ULP_CONTROL_OFFSET) & 0xff;
        boolean whole = tagged ? readTagged(ulpdu, offset, length) : readUntagged(ulpdu, offset, length);
        // RFC 5041 §7.1, §7.2, DDP-7.2-1: a wrong DV is refused for any length; the code depends on the buffer model.
        if ((control & DdpControl.VERSION_MASK) != DdpControl.VERSION) {
            return tagged ? TerminateCode.DDP_TAGGED_VERSION : TerminateCode.DDP_UNTAGGED_VERSION;
        }
        // DDP-4.1-2, DG-4.5-7: reserved bits are ignored.
        return whole ? null : TerminateCode.RDMAP_OPERATION_UNSPECIFIED;
    }

    private boolean readTagged(ByteBuffer ulpdu, int offset, int length) {
        if (length < TaggedHeader.LENGTH) {
            return false;
        }
        headerLength = TaggedHeader.LENGTH;
        payloadLength = length - TaggedHeader.LENGTH;
        stag = ulpdu.getInt(offset + TaggedHeader.STAG_OFFSET);
        taggedOffset = ulpdu.getLong(offset + TaggedHeader.TO_OFFSET);
        return true;
    }

    private boolean readUntagged(ByteBuffer ulpdu, int offset, int length) {
        if (length < UntaggedHeader.LENGTH) {
            return false;
        }
        headerLength = UntaggedHeader.LENGTH;
        payloadLength = length - UntaggedHeader.LENGTH;
        ulpWord = ulpdu.getInt(offset + UntaggedHeader.ULP_WORD_OFFSET);
        queueNumber = ulpdu.getInt(offset + UntaggedHeader.QN_OFFSET);
        messageSequenceNumber = ulpdu.getInt(offset + UntaggedHeader.MSN_OFFSET);
        messageOffset = ulpdu.getInt(offset + UntaggedHeader.MO_OFFSET) & 0xffff_ffffL;
        return true;
    }

    /** {@return T: whether the buffer model is tagged, which determines the valid fields below} */
    public boolean tagged() {
        return tagged;
    }

    /** {@return L: whether this is the last segment of its message} */
    public boolean last() {
        return last;
    }

    /** {@return the octet of the layer above, 0 to 255} */
    public int ulpControl() {
        return ulpControl;
    }

    /** {@return tagged: the steering tag} */
    public int stag() {
        return stag;
    }

    /** {@return tagged: the offset of the payload, an unsigned number of 64 bits} */
    public long taggedOffset() {
        return taggedOffset;
    }

    /** {@return untagged: the four octets of the layer above} */
    public int ulpWord() {
        return ulpWord;
    }

    /** {@return untagged: the queue number, an unsigned number of 32 bits} */
    public int queueNumber() {
        return queueNumber;
    }

    /** {@return untagged: the message sequence number, modulo 2^32} */
    public int messageSequenceNumber() {
        return messageSequenceNumber;
    }

    /** {@return untagged: the offset of the payload in its message, 0 to 2^32 - 1} */
    public long messageOffset() {
        return messageOffset;
    }

    /** {@return index of the first octet of the segment in the buffer given to {@link #parse}} */
    public int headerOffset() {
        return headerOffset;
    }

    /** {@return 14 or 18; 0 if the header is truncated} */
    public int headerLength() {
        return headerLength;
    }

    /** {@return index of the first octet of the payload in the buffer given to {@link #parse}} */
    public int payloadOffset() {
        return headerOffset + headerLength;
    }

    /** {@return octets of payload, 0 or more} */
    public int payloadLength() {
        return payloadLength;
    }

    /** {@return octets of the whole segment, header included; meaningless if the header is truncated} */
    public int length() {
        return headerLength + payloadLength;
    }

    @Override
    public String toString() {
        String where = tagged
                ? String.format(Locale.ROOT, "tagged STag 0x%08x TO 0x%x", stag, taggedOffset)
                : String.format(
                        Locale.ROOT,
                        "untagged QN %s MSN %s MO %d",
                        Integer.toUnsignedString(queueNumber),
                        Integer.toUnsignedString(messageSequenceNumber),
                        messageOffset);
        return where
                + String.format(
                        Locale.ROOT, " control 0x%02x%s, %d bytes", ulpControl, last ? " last" : "", payloadLength);
    }
}
