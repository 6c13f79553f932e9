package dev.jwarp.conformance.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The content of a Terminate Message (RFC 5040 §4.8).
 *
 * @param layer 0 RDMA, 1 DDP, 2 LLP
 * @param type Error Type
 * @param code Error Code
 * @param swapped true if the bytes only make sense in the order of Linux's siw: both halves of byte 18 swapped and the
 *     flags at
 *     the low end
 * @param segmentLength DDP Segment Length; -1 if it is missing
 * @param ddpHeader the copied DDP header; may be null
 * @param rdmapHeader the copied RDMAP header; may be null
 * @param trailing bytes after those that the flags announce
 */
public record TerminateFields(
        int layer,
        int type,
        int code,
        boolean swapped,
        int segmentLength,
        byte @Nullable [] ddpHeader,
        byte @Nullable [] rdmapHeader,
        int trailing) {
    private static final int HAS_LENGTH = 0x80;
    private static final int HAS_DDP = 0x40;
    private static final int HAS_RDMAP = 0x20;
    private static final int READ_REQUEST = 28;

    /** Parses the payload of a Terminate segment; null if it is shorter than the 4 bytes of the control field. */
    public static @Nullable TerminateFields parse(byte[] payload) {
        return payload.length < 4 ? null : parse(payload, looksSwapped(payload));
    }

    /**
     * The same, with knowledge of the earlier frames: three causes without headers have one meaning in the order of the
     * RFC and another in siw's order. The causes of MPA (RFC 6581 §8) belong to the setup, those of RDMAP to the time
     * after it.
     *
     * @param setup whether the receiver of the Terminate has sent no FPDU yet
     */
    public static @Nullable TerminateFields parseAt(boolean setup, byte[] payload) {
        if (payload.length < 4) {
            return null;
        }
        int first = payload[0] & 0xFF;
        int code = payload[1] & 0xFF;
        boolean either = payload[2] == 0 && code >= 5 && code <= 7 && (first == 0x02 || first == 0x20);
        return parse(payload, either ? (first == 0x02) == setup : looksSwapped(payload));
    }

    private static boolean looksSwapped(byte[] payload) {
        int flags = payload[2] & 0xFF;
        return flags == 0 ? onlySiw(payload[0] & 0xFF, payload[1] & 0xFF) : (flags & 0xE0) == 0 && (flags & 0x07) != 0;
    }

    /** The same, for a device that is known to use siw's order of bits: this needs no guess. */
    public static @Nullable TerminateFields parseSwapped(byte[] payload) {
        return payload.length < 4 ? null : parse(payload, true);
    }

    private static TerminateFields parse(byte[] payload, boolean swapped) {
        int first = payload[0] & 0xFF;
        int code = payload[1] & 0xFF;
        int flags = payload[2] & 0xFF;
        int layer = swapped ? first & 0xF : first >> 4;
        int type = swapped ? first >> 4 : first & 0xF;
        if (swapped) {
            flags = ((flags & 1) << 7) | ((flags & 2) << 5) | ((flags & 4) << 3);
        }
        int at = 4;
        int length = -1;
        byte[] ddp = null;
        byte[] rdmap = null;
        if ((flags & (HAS_LENGTH | HAS_DDP)) != 0 && payload.length >= at + 2) {
            length = (int) Octets.number(payload, at, 2);
            at += 2;
        }
        if ((flags & HAS_DDP) != 0 && payload.length > at) {
            int size = (payload[at] & 0x80) != 0 ? Segment.TAGGED : Segment.UNTAGGED;
            if (payload.length >= at + size) {
                ddp = Arrays.copyOfRange(payload, at, at + size);
                at += size;
            }
        }
        if ((flags & HAS_RDMAP) != 0 && payload.length >= at + READ_REQUEST) {
            rdmap = Arrays.copyOfRange(payload, at, at + READ_REQUEST);
            at += READ_REQUEST;
        }
        return new TerminateFields(layer, type, code, swapped, length, ddp, rdmap, payload.length - at);
    }

    /** Causes without headers that exist only in siw's order of bits. */
    private static boolean onlySiw(int first, int code) {
        return first == 0x21 || (first == 0x02 && code >= 1 && code <= 4) || (first == 0x20 && code >= 8);
    }

    /** Layer, type and code as {@code 0xLTCC}. */
    public int cause() {
        return cause(layer, type, code);
    }

    public static int cause(int layer, int type, int code) {
        return (layer << 12) | (type << 8) | code;
    }

    /** A cause in the notation of the registry: {@code 1/2/05 DDP untagged: message too long}. */
    public static String words(int cause) {
        return "%d/%d/%02X %s".formatted(cause >> 12, (cause >> 8) & 0xF, cause & 0xFF, meaning(cause));
    }

    /** RFC 5040 §4.8, RFC 5041 §7.2, RFC 5044 §8, RFC 6581 §8. */
    private static String meaning(int cause) {
        return switch (cause) {
            case 0x0100 -> "RDMA protection: invalid STag";
            case 0x0101 -> "RDMA protection: base or bounds";
            case 0x0102 -> "RDMA protection: access rights";
            case 0x0103 -> "RDMA protection: STag of another stream";
            case 0x0104 -> "RDMA protection: TO wrap";
            case 0x0109 -> "RDMA protection: STag cannot be invalidated";
            case 0x01FF -> "RDMA protection: unspecified";
            case 0x0205 -> "RDMA operation: invalid RDMAP version";
            case 0x0206 -> "RDMA operation: unexpected opcode";
            case 0x0207 -> "RDMA operation: catastrophic, this stream";
            case 0x0208 -> "RDMA operation: catastrophic, global";
            case 0x0209 -> "RDMA operation: STag cannot be invalidated";
            case 0x02FF -> "RDMA operation: unspecified";
            case 0x1000 -> "DDP: local catastrophic";
            case 0x1100 -> "DDP tagged: invalid STag";
            case 0x1101 -> "DDP tagged: base or bounds";
            case 0x1102 -> "DDP tagged: STag of another stream";
            case 0x1103 -> "DDP tagged: TO wrap";
            case 0x1104 -> "DDP tagged: invalid DDP version";
            case 0x1201 -> "DDP untagged: invalid QN";
            case 0x1202 -> "DDP untagged: invalid MSN, no buffer";
            case 0x1203 -> "DDP untagged: invalid MSN, out of range";
            case 0x1204 -> "DDP untagged: invalid MO";
            case 0x1205 -> "DDP untagged: message too long";
            case 0x1206 -> "DDP untagged: invalid DDP version";
            case 0x2001 -> "MPA: TCP ended";
            case 0x2002 -> "MPA: CRC";
            case 0x2003 -> "MPA: Marker and length disagree";
            case 0x2004 -> "MPA: invalid Request or Reply";
            case 0x2005 -> "MPA: local catastrophic";
            case 0x2006 -> "MPA: insufficient IRD";
            case 0x2007 -> "MPA: no matching RTR option";
            default -> cause >> 8 == 0 ? "RDMA: local catastrophic" : "not assigned";
        };
    }

    @Override
    public String toString() {
        return "Terminate " + words(cause()) + (swapped ? " (in siw's order of bits)" : "")
                + (segmentLength < 0 ? "" : ", segment of " + segmentLength)
                + (ddpHeader == null ? "" : ", DDP header") + (rdmapHeader == null ? "" : ", RDMAP header");
    }
}
