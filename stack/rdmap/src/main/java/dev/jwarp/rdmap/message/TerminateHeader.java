package dev.jwarp.rdmap.message;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.TerminateMessage.Layout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The header of a Terminate, behind the untagged DDP header: writes the layout of RFC 5040 §4.8, RDMAP-4.8-1, and also
 * reads the layout of siw.
 *
 * <pre>
 *  octet  0               1       2                         4                     6
 *         Layer | EType | Code  | M D R Reserved (13 bits) | DDP segment length | DDP header (14 or 18) | Read Request (28)
 * </pre>
 *
 * <p>M marks the length as present, D the DDP header, R the Read Request header; absent fields take no space.
 */
public final class TerminateHeader {
    /** Layer in the high four bits, error type in the low ones. */
    public static final int LAYER_AND_TYPE_OFFSET = 0;
    /** The error code. */
    public static final int CODE_OFFSET = 1;
    /** M, D and R in the three highest bits. */
    public static final int FLAGS_OFFSET = 2;
    /** Octets of the offending DDP segment, header included. */
    public static final int SEGMENT_LENGTH_OFFSET = 4;
    /** The copied DDP header. */
    public static final int DDP_HEADER_OFFSET = 6;
    /** Octets of the control word, which is always present. */
    public static final int CONTROL_LENGTH = 4;
    /** Octets of the longest header: control word, length, untagged DDP header, Read Request header. */
    public static final int MAXIMUM_LENGTH = DDP_HEADER_OFFSET + UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH;

    private static final int M = 0x80;
    private static final int D = 0x40;
    private static final int R = 0x20;
    private static final int TAGGED = 0x80;

    // siw on a little-endian host sends the same flags from the other end of the octet.
    private static final int MIRRORED_M = 0x01;
    private static final int MIRRORED_D = 0x02;
    private static final int MIRRORED_R = 0x04;

    private static final byte[] NONE = {};

    private TerminateHeader() {}

    /**
     * Writes a Terminate without a copy of anything.
     *
     * @return octets written
     */
    public static int write(ByteBuffer out, int at, TerminateCode code) {
        return control(out, at, code, 0);
    }

    /**
     * Writes a Terminate with the header of the offending segment.
     *
     * @param ddpHeader the DDP header to copy, 14 or 18 bytes from its position to its limit
     * @param segmentLength octets of the whole segment
     * @param readRequest holds the Read Request header to copy, from index 0; null to copy none
     * @return octets written
     */
    public static int write(
            ByteBuffer out,
            int at,
            TerminateCode code,
            ByteBuffer ddpHeader,
            int segmentLength,
            @Nullable ByteBuffer readRequest) {
        control(out, at, code, readRequest == null ? M | D : M | D | R);
        // RFC 5040 §4.8, RDMAP-4.8-2: the DDP Segment Length covers the whole segment, including its header.
        out.putShort(at + SEGMENT_LENGTH_OFFSET, (short) segmentLength);
        out.put(at + DDP_HEADER_OFFSET, ddpHeader, ddpHeader.position(), ddpHeader.remaining());
        int end = DDP_HEADER_OFFSET + ddpHeader.remaining();
        if (readRequest != null) {
            out.put(at + end, readRequest, 0, ReadRequestHeader.LENGTH);
            end += ReadRequestHeader.LENGTH;
        }
        return end;
    }

    private static int control(ByteBuffer out, int at, TerminateCode code, int flags) {
        out.put(at + LAYER_AND_TYPE_OFFSET, (byte) (code.layer() << 4 | code.errorType()));
        out.put(at + CODE_OFFSET, (byte) code.errorCode());
        out.put(at + FLAGS_OFFSET, (byte) flags);
        out.put(at + FLAGS_OFFSET + 1, (byte) 0);
        return CONTROL_LENGTH;
    }

    /**
     * Reads a Terminate leniently, because a Terminate is not answered and only informs the program above. A flag whose
     * field is truncated counts as not set; reserved bits and surplus octets are ignored.
     *
     * @param in big-endian
     * @param at index of the first octet behind the DDP header
     * @param length octets behind the DDP header
     * @param setUp true for the first message of the initiator: some control words are ambiguous, and mean codes of MPA
     *     start-up in that message, codes of RDMAP in others
     * @return null if the control word is truncated
     */
    public static @Nullable TerminateMessage read(ByteBuffer in, int at, int length, boolean setUp) {
        if (length < CONTROL_LENGTH) {
            return null;
        }
        return read(in, at, length, layout(in, at, setUp));
    }

    /** Reads a Terminate whose bit order is known. */
    public static TerminateMessage read(ByteBuffer in, int at, int length, Layout layout) {
        boolean mirrored = layout == Layout.SIW_LITTLE_ENDIAN;
        int first = in.get(at + LAYER_AND_TYPE_OFFSET) & 0xff;
        int code = in.get(at + CODE_OFFSET) & 0xff;
        int flags = in.get(at + FLAGS_OFFSET) & 0xff;
        // RDMAP-4.8-5: reserved bits are ignored.
        boolean withLength = (flags & (mirrored ? MIRRORED_M : M)) != 0 && length >= DDP_HEADER_OFFSET;
        boolean withHeader = withLength && (flags & (mirrored ? MIRRORED_D : D)) != 0 && length > DDP_HEADER_OFFSET;
        boolean withRequest = withHeader && (flags & (mirrored ? MIRRORED_R : R)) != 0;
        byte[] header = NONE;
        byte[] request = NONE;
        if (withHeader) {
            // RFC 5040 §4.8: the T bit of the copied header determines its size.
            boolean tagged = (in.get(at + DDP_HEADER_OFFSET) & TAGGED) != 0;
            header = copy(in, at, length, DDP_HEADER_OFFSET, tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH);
            // siw sets R without a Read Request: then there is nothing to copy.
            request = withRequest && header.length > 0
                    ? copy(in, at, length, DDP_HEADER_OFFSET + header.length, ReadRequestHeader.LENGTH)
                    : NONE;
        }
        return new TerminateMessage(
                layout,
                (mirrored ? (first & 0x0f) << 4 | first >>> 4 : first) << 8 | code,
                withLength ? in.getShort(at + SEGMENT_LENGTH_OFFSET) & 0xffff : TerminateMessage.NO_LENGTH,
                header,
                request,
                copy(in, at, length, 0, Math.min(length, MAXIMUM_LENGTH)));
    }

    /** Octets {@code from} to {@code from + count} of the header, or none if the header is shorter. */
    private static byte[] copy(ByteBuffer in, int at, int length, int from, int count) {
        if (length - from < count) {
            return NONE;
        }
        byte[] octets = new byte[count];
        in.get(at + from, octets);
        return octets;
    }

    /**
     * {@return the layout of the control word} siw's C bit fields swap layer and type within the octet, and put the
     * flags at the other end. A flag shows the layout; without flags, the layout follows from the values of layer, type
     * and code.
     */
    private static Layout layout(ByteBuffer in, int at, boolean setUp) {
        int first = in.get(at + LAYER_AND_TYPE_OFFSET) & 0xff;
        int code = in.get(at + CODE_OFFSET) & 0xff;
        int flags = in.get(at + FLAGS_OFFSET) & 0xff;
        if ((flags & (M | D | R)) != 0) {
            return Layout.RFC;
        }
        if ((flags & (MIRRORED_M | MIRRORED_D | MIRRORED_R)) != 0) {
            return Layout.SIW_LITTLE_ENDIAN;
        }
        boolean mirrored =
                switch (first) {
                    // Mirrored: layer 1, type 2. RFC: none, because layer 2 has no type 1.
                    case 0x21 -> true;
                    // RFC: RDMAP, remote operation, with codes from 05. Mirrored: MPA, with codes 01 to 07.
                    case 0x02 -> code >= 0x01 && (code <= 0x04 || (code <= 0x07 && setUp));
                    // RFC: MPA. Mirrored: RDMAP, remote operation, with codes 05 to 09 and FF.
                    case 0x20 ->
                        code == 0x08 || code == 0x09 || code == 0xff || (code >= 0x05 && code <= 0x07 && !setUp);
                    default -> false;
                };
        return mirrored ? Layout.SIW_LITTLE_ENDIAN : Layout.RFC;
    }
}
