package dev.jwarp.mpa;

/**
 * The framing PDU: layout and arithmetic (RFC 5044 §4.1, MPA-4.1-1). {@link Marker} describes Markers, which are not
 * part of the layout.
 *
 * <pre>
 *   0: ULPDU_Length (2) | 2: ULPDU (ULPDU_Length) | PAD (0..3, to a multiple of four) | CRC32C (4)
 * </pre>
 *
 * <p>All lengths are octets. Everything is big-endian but the CRC, whose least significant octet comes first.
 */
public final class Fpdu {
    /** Offset of the 16-bit ULPDU_Length field. */
    public static final int LENGTH_OFFSET = 0;

    /** Offset of the ULPDU; also the size of the length field. */
    public static final int ULPDU_OFFSET = 2;

    /** Size of the CRC field, which is present even without CRCs (RFC 5044 §4.1), except with non-conforming peers. */
    public static final int CRC_LENGTH = 4;

    /** Largest ULPDU that may be sent. RFC 5044 §3, MPA-3-2: DDP must not pass a larger one to MPA. */
    public static final int MAX_ULPDU_SENT = 64_768;

    /**
     * Largest ULPDU that the length field can express. All lengths are accepted, because siw sends some above {@link
     * #MAX_ULPDU_SENT}.
     */
    public static final int MAX_ULPDU_RECEIVED = 65_535;

    /** Largest FPDU without Markers that can be received. */
    public static final int MAX_LENGTH = length(MAX_ULPDU_RECEIVED);

    /** Largest FPDU with Markers that can be received: at most 130 Markers, whatever its start. */
    public static final int MAX_LENGTH_WITH_MARKERS = MAX_LENGTH + 130 * Marker.LENGTH;

    private Fpdu() {}

    /** {@return the pad octets after a ULPDU of this length, 0 to 3} */
    public static int padLength(int ulpduLength) {
        // RFC 5044 §4.1, MPA-4.1-1: the FPDU is a multiple of four octets long
        return -(ULPDU_OFFSET + ulpduLength) & 3;
    }

    /** {@return octets from the length field to the end of the pad, Markers not counted; a multiple of four} */
    public static int bodyLength(int ulpduLength) {
        return ULPDU_OFFSET + ulpduLength + padLength(ulpduLength);
    }

    /** {@return octets of the whole FPDU of a ULPDU of this length, without Markers} */
    public static int length(int ulpduLength) {
        return bodyLength(ulpduLength) + CRC_LENGTH;
    }

    /**
     * {@return octets of the whole FPDU with its Markers}
     *
     * @param streamOffset start of the FPDU, including its leading Marker, in octets since the start of full operation
     */
    public static int lengthWithMarkers(int ulpduLength, long streamOffset) {
        return length(ulpduLength) + Marker.LENGTH * Marker.countIn(bodyLength(ulpduLength), streamOffset);
    }
}
