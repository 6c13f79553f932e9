package dev.jwarp.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.zip.CRC32;

/** Frames ULPDUs like a sender that breaks one rule, byte by byte and independently of the code that reads them. */
public final class Misframer {
    private static final byte DATA = 0;
    private static final byte LENGTH = 1;
    private static final byte PAD = 2;
    private static final byte LEADING = 3;
    private static final byte INNER = 4;
    private static final byte TRAILING = 5;

    private final FramingFault fault;
    private final boolean markers;
    private final boolean crc;
    private long count;
    private boolean first = true;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream kinds = new ByteArrayOutputStream();
    private int start;
    private boolean justMarked;

    public Misframer(FramingFault fault, boolean markers, boolean crc, int startOctets) {
        this.fault = fault;
        this.markers = fault == FramingFault.MARKERS_UNASKED || (markers && fault != FramingFault.MARKERS_ABSENT);
        this.crc = crc;
        this.count = fault.countedBefore(startOctets);
    }

    /** Whether the fault shows in a direction with or without Markers and CRCs; always for none. */
    public static boolean shows(FramingFault fault, boolean markers, boolean crc) {
        return switch (fault) {
            case CRC_ABSENT -> true;
            case MARKERS_UNASKED -> !markers;
            case LENGTH_COUNTS_MARKERS -> markers;
            case CRC_WITHOUT_MARKERS, CRC_WITHOUT_LEADING_MARKER, CRC_WITHOUT_TRAILING_MARKER -> crc && markers;
            default ->
                fault.name().startsWith("CRC_") ? crc : markers || !fault.name().startsWith("MARKERS_");
        };
    }

    /** The bytes of the ULPDUs as FPDUs. */
    byte[] frames(List<byte[]> ulpdus) {
        Octets all = new Octets();
        ulpdus.forEach(ulpdu -> all.add(frame(ulpdu)));
        return all.bytes();
    }

    /** The bytes of the next FPDU. */
    public byte[] frame(byte[] ulpdu) {
        int body = 2 + ulpdu.length;
        int pad =
                switch (fault) {
                    case PAD_ABSENT, PAD_AND_CRC_ABSENT -> 0;
                    case PAD_TO_2 -> up(body, 2) - body;
                    case PAD_WITHOUT_LENGTH -> up(ulpdu.length, 4) - ulpdu.length;
                    case PAD_NEVER_EMPTY -> body % 4 == 0 ? 4 : up(body, 4) - body;
                    case PAD_TO_8 -> up(body, 8) - body;
                    case PAD_TO_8_WITH_CRC -> up(body + 4, 8) - body - 4;
                    default -> up(body, 4) - body;
                };
        int stated =
                switch (fault) {
                    case LENGTH_LITTLE_ENDIAN -> Integer.reverseBytes(ulpdu.length) >>> 16;
                    case LENGTH_COUNTS_ITSELF -> body;
                    case LENGTH_COUNTS_CRC -> ulpdu.length + 4;
                    case LENGTH_COUNTS_PAD -> ulpdu.length + pad;
                    case LENGTH_COUNTS_ALL -> body + pad + 4;
                    case LENGTH_COUNTS_MARKERS -> ulpdu.length + 4 * markersWithin(body);
                    default -> ulpdu.length;
                };
        out.reset();
        kinds.reset();
        start = -1;
        put(stated >>> 8, LENGTH);
        put(stated, LENGTH);
        for (byte octet : ulpdu) {
            put(octet, DATA);
        }
        for (int i = 0; i < pad; i++) {
            put(0, PAD);
        }
        if (fault != FramingFault.CRC_ABSENT && fault != FramingFault.PAD_AND_CRC_ABSENT) {
            if (fault != FramingFault.MARKERS_NOT_BEHIND_PAD) {
                mark(TRAILING);
            }
            long before = count;
            justMarked = true;
            for (byte octet : crc ? crc() : new byte[4]) {
                put(octet, DATA);
            }
            if (fault == FramingFault.MARKERS_FORGET_CRC) {
                count = before;
            }
        }
        first = false;
        return out.toByteArray();
    }

    private static int up(int size, int multiple) {
        return (size + multiple - 1) / multiple * multiple;
    }

    private int markersWithin(int body) {
        long at = count;
        int within = 0;
        for (int i = 0; i < body; i++) {
            if (markers && at % 512 == 0) {
                at += 4;
                within += i > 0 ? 1 : 0;
            }
            at++;
        }
        return within;
    }

    private void put(int octet, byte kind) {
        mark(start < 0 ? LEADING : INNER);
        start = start < 0 ? out.size() : start;
        out.write(octet);
        kinds.write(kind);
        count++;
        justMarked = false;
    }

    private void mark(byte kind) {
        boolean left = fault == FramingFault.MARKERS_FIRST_ABSENT && first && start < 0;
        if (markers && count % 512 == 0 && !justMarked && !left) {
            int pointer = start < 0 ? 0 : out.size() - start;
            for (byte octet : new Octets().u32(pointer).bytes()) {
                out.write(octet);
                kinds.write(kind);
            }
            count += fault == FramingFault.MARKERS_FORGET_THEMSELVES ? 0 : 4;
            justMarked = true;
        }
    }

    private byte[] crc() {
        long value =
                switch (fault) {
                    case CRC_ZERO -> 0;
                    case CRC_UNKNOWN -> castagnoli(kind -> true, -1, 0x5A5A_5A5A);
                    case CRC_WITHOUT_PAD -> castagnoli(kind -> kind != PAD, -1, -1);
                    case CRC_WITHOUT_LENGTH -> castagnoli(kind -> kind != LENGTH, -1, -1);
                    case CRC_WITHOUT_MARKERS -> castagnoli(kind -> kind < LEADING, -1, -1);
                    case CRC_WITHOUT_LEADING_MARKER -> castagnoli(kind -> kind != LEADING, -1, -1);
                    case CRC_WITHOUT_TRAILING_MARKER -> castagnoli(kind -> kind != TRAILING, -1, -1);
                    case CRC_OF_ETHERNET -> {
                        CRC32 ethernet = new CRC32();
                        ethernet.update(out.toByteArray());
                        yield ethernet.getValue();
                    }
                    case CRC_NOT_INVERTED -> castagnoli(kind -> true, -1, 0);
                    case CRC_FROM_ZERO -> castagnoli(kind -> true, 0, -1);
                    case CRC_BARE -> castagnoli(kind -> true, 0, 0);
                    default -> castagnoli(kind -> true, -1, -1);
                };
        int onTheWire = fault == FramingFault.CRC_SWAPPED ? (int) value : Integer.reverseBytes((int) value);
        return new Octets().u32(onTheWire).bytes();
    }

    private int castagnoli(IntPredicate covered, int from, int turned) {
        byte[] octets = out.toByteArray();
        byte[] kind = kinds.toByteArray();
        int crc = from;
        for (int i = 0; i < octets.length; i++) {
            for (int bit = 0; bit < 8 && covered.test(kind[i]); bit++) {
                boolean one = ((crc ^ octets[i] >>> bit) & 1) != 0;
                crc = crc >>> 1 ^ (one ? 0x82F6_3B78 : 0);
            }
        }
        return crc ^ turned;
    }
}
