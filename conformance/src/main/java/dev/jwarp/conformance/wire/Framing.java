package dev.jwarp.conformance.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * How one direction of a connection is framed (RFC 5044 §4): by the rules, or with one rule broken. Extracts FPDUs from
 * bytes and keeps no state of a stream.
 *
 * @param markers whether the two sides agreed on Markers in this direction
 * @param fault the rule that the sender breaks
 * @param startOctets length of the sender's startup frame; only {@link FramingFault#MARKERS_COUNT_START} uses it
 */
public record Framing(boolean markers, FramingFault fault, int startOctets) {
    private static final int INTERVAL = Framer.INTERVAL;
    private static final int MARKER = 4;
    private static final int LENGTH = 2;
    private static final int CRC = 4;

    /** The framing of RFC 5044. */
    public static Framing right(boolean markers) {
        return new Framing(markers, FramingFault.NONE, 0);
    }

    /** Whether there are Markers, agreed on or not. */
    public boolean marked() {
        return switch (fault) {
            case MARKERS_UNASKED -> true;
            case MARKERS_ABSENT -> false;
            default -> markers;
        };
    }

    /** Whether the places of Markers after missing bytes are unknown. */
    public boolean losesCount() {
        return fault == FramingFault.MARKERS_FORGET_CRC || fault == FramingFault.MARKERS_FORGET_THEMSELVES;
    }

    /**
     * The sender's count of bytes at the beginning of full operation: a Marker is due wherever the count is a multiple
     * of 512.
     */
    public long firstCount() {
        return fault.countedBefore(startOctets);
    }

    /** The sender's count of bytes at a place, if everything before that place is framed rightly. */
    public long countAt(long position, long fpdus, long markersBefore) {
        return switch (fault) {
            case MARKERS_COUNT_START, MARKERS_COUNT_HEADER -> position + fault.countedBefore(startOctets);
            case MARKERS_FORGET_CRC -> position - CRC * fpdus;
            case MARKERS_FORGET_THEMSELVES -> position - MARKER * markersBefore;
            default -> position;
        };
    }

    /** Whether a sender with this fault would have framed the ULPDU of a right FPDU in the same way. */
    public boolean agrees(Fpdu fpdu, long count) {
        byte[] octets = fpdu.octets();
        boolean leading = !fpdu.markers().isEmpty() && fpdu.markers().get(0).position() == fpdu.position();
        return switch (fault) {
            case NONE -> true;
            case CRC_WITHOUT_PAD -> fpdu.pad().length == 0;
            case CRC_WITHOUT_MARKERS -> fpdu.markers().isEmpty();
            case CRC_WITHOUT_LEADING_MARKER -> !leading;
            case CRC_WITHOUT_TRAILING_MARKER ->
                fpdu.markers().stream()
                        .noneMatch(marker -> marker.position() - fpdu.position() == octets.length - CRC - MARKER);
            default -> !fault.ofCrc() && readsAlike(fpdu, count);
        };
    }

    private boolean readsAlike(Fpdu fpdu, long count) {
        byte[] octets = fpdu.octets();
        Sizes sizes = sizes(octets, 0, octets.length, count);
        if (sizes == null || length(octets, 0, octets.length, count) != octets.length) {
            return false;
        }
        Walk walk = new Walk(octets, 0, octets.length, count);
        walk.take(null, sizes.total(), sizes.total() - sizes.crc);
        return walk.markers.equals(fpdu.markers().stream()
                .map(marker -> (int) (marker.position() - fpdu.position()))
                .toList());
    }

    /** The sender's count of bytes after an FPDU that began at {@code count}. */
    public long countAfter(long count, Fpdu fpdu) {
        int uncounted =
                switch (fault) {
                    case MARKERS_FORGET_CRC -> CRC;
                    case MARKERS_FORGET_THEMSELVES -> MARKER * fpdu.markers().size();
                    default -> 0;
                };
        return count + fpdu.octets().length - uncounted;
    }

    /**
     * The FPDU that begins at {@code at}; null if it does not end before {@code end}, or has a length that a sender
     * with this fault never states.
     *
     * @param position of the byte at {@code at} since full operation began
     * @param count the sender's count there: {@link #firstCount}, then {@link #countAfter}
     */
    public @Nullable Fpdu read(byte[] octets, int at, int end, long position, long count) {
        Sizes sizes = sizes(octets, at, end, count);
        if (sizes == null || sizes.ulpdu < 0 || end - at < sizes.total()) {
            return null;
        }
        Walk walk = new Walk(octets, at, end, count);
        byte[] words = new byte[sizes.total()];
        if (!walk.take(words, sizes.total(), sizes.total() - sizes.crc)) {
            return null;
        }
        int body = LENGTH + sizes.ulpdu;
        byte[] all = Arrays.copyOfRange(octets, at, walk.at);
        List<Fpdu.Marker> found = new ArrayList<>(walk.markers.size());
        for (int place : walk.markers) {
            found.add(new Fpdu.Marker(
                    position + place - at,
                    (int) Octets.number(octets, place, 2),
                    (int) Octets.number(octets, place + 2, 2),
                    Math.max(0, place - walk.start) & 0xFFFF));
        }
        byte[] pad = Arrays.copyOfRange(words, body, body + sizes.pad);
        byte[] ulpdu = Arrays.copyOfRange(words, LENGTH, body);
        boolean good = sizes.crc == 0 || crcGood(new Covered(all, at, words, sizes, walk));
        return new Fpdu(all, position, ulpdu, pad, found, good);
    }

    /**
     * Size in bytes of the FPDU that begins at {@code at}, including all due Markers, received or not; 0 if its length
     * is missing or makes no sense.
     */
    public int length(byte[] octets, int at, int end, long count) {
        Sizes sizes = sizes(octets, at, end, count);
        if (sizes == null || sizes.ulpdu < 0) {
            return 0;
        }
        Walk walk = new Walk(octets, at, Integer.MAX_VALUE, count);
        walk.take(null, sizes.total(), sizes.total() - sizes.crc);
        return walk.at - at;
    }

    /**
     * The first {@code most} bytes of the FPDU without its Markers, or as many as are there: ULPDU_Length and the bytes
     * after it.
     */
    public byte[] head(byte[] octets, int at, int end, long count, int most) {
        byte[] words = new byte[most];
        Walk walk = new Walk(octets, at, end, count);
        walk.take(words, most, Integer.MAX_VALUE);
        return Arrays.copyOf(words, walk.taken);
    }

    /**
     * Size in bytes of the ULPDU for a stated ULPDU_Length; negative if a sender with this fault never states that
     * value.
     */
    public int ulpduLength(int stated) {
        int right = (stated & 0xFF) << 8 | stated >> 8;
        return switch (fault) {
            case LENGTH_LITTLE_ENDIAN -> right;
            case LENGTH_COUNTS_ITSELF -> stated - LENGTH;
            case LENGTH_COUNTS_CRC -> stated - CRC;
            // The length does not show the size of the pad.
            case LENGTH_COUNTS_ALL -> stated % 4 == 0 ? stated - LENGTH - CRC : -1;
            case LENGTH_COUNTS_PAD -> (LENGTH + stated) % 4 == 0 ? stated : -1;
            default -> stated;
        };
    }

    /** Size in bytes of the pad after a ULPDU of this size. */
    public int padLength(int ulpdu) {
        int body = LENGTH + ulpdu;
        return switch (fault) {
            case PAD_ABSENT, PAD_AND_CRC_ABSENT -> 0;
            case PAD_TO_2 -> -body & 1;
            case PAD_WITHOUT_LENGTH -> -ulpdu & 3;
            case PAD_NEVER_EMPTY -> 4 - (body & 3);
            case PAD_TO_8 -> -body & 7;
            case PAD_TO_8_WITH_CRC -> -(body + CRC) & 7;
            // RFC 5044 §4.1: ULPDU_Length, ULPDU and pad are a multiple of 4.
            default -> -body & 3;
        };
    }

    private record Sizes(int ulpdu, int pad, int crc) {
        int total() {
            return LENGTH + ulpdu + pad + crc;
        }
    }

    private @Nullable Sizes sizes(byte[] octets, int at, int end, long count) {
        byte[] head = head(octets, at, end, count, LENGTH);
        if (head.length < LENGTH) {
            return null;
        }
        int stated = (int) Octets.number(head, 0, LENGTH);
        int ulpdu = ulpduLength(stated);
        if (fault == FramingFault.LENGTH_COUNTS_MARKERS) {
            ulpdu = withoutMarkers(octets, at, count, stated);
        }
        return new Sizes(ulpdu, padLength(Math.max(0, ulpdu)), fault.lacksCrc() ? 0 : CRC);
    }

    /** A stated length without the Markers that it counts; -1 if the last byte would belong to a Marker. */
    private int withoutMarkers(byte[] octets, int at, long count, int stated) {
        for (int inside = 0; MARKER * inside <= stated; inside++) {
            Walk walk = new Walk(octets, at, Integer.MAX_VALUE, count);
            walk.take(null, LENGTH + stated - MARKER * inside, Integer.MAX_VALUE);
            if (walk.markers.stream().filter(place -> place > walk.start).count() == inside) {
                return stated - MARKER * inside;
            }
        }
        return -1;
    }

    /** Walks over bytes and separates Markers from the rest. */
    private final class Walk {
        private final byte[] octets;
        private final int end;
        private final List<Integer> markers = new ArrayList<>(0);
        private long count;
        private int at;
        /** Index of ULPDU_Length. */
        private int start = -1;

        private int taken;
        private int crcAt = -1;
        private boolean justMarked;

        Walk(byte[] octets, int at, int end, long count) {
            this.octets = octets;
            this.at = at;
            this.end = end;
            this.count = count;
        }

        /**
         * Takes bytes other than Markers.
         *
         * @param into receives the bytes; null: they are not needed
         * @param crcFrom index of the first byte of the CRC field among the taken bytes
         * @return false if there are fewer bytes
         */
        boolean take(byte @Nullable [] into, int total, int crcFrom) {
            while (taken < total) {
                int until = (int) (-count & INTERVAL - 1);
                if (until == 0 && !justMarked && due(taken == crcFrom)) {
                    if (end - at < MARKER) {
                        return false;
                    }
                    markers.add(at);
                    at += MARKER;
                    count += fault == FramingFault.MARKERS_FORGET_THEMSELVES ? 0 : MARKER;
                    justMarked = true;
                    continue;
                }
                int room = !marked() ? Integer.MAX_VALUE : until > 0 ? until : INTERVAL;
                int piece = Math.min(Math.min(total - taken, room), end - at);
                // Stop before the CRC field: a Marker that is due there has a rule of its own.
                piece = taken < crcFrom ? Math.min(piece, crcFrom - taken) : piece;
                if (piece <= 0) {
                    return false;
                }
                start = start < 0 ? at : start;
                crcAt = taken == crcFrom ? at : crcAt;
                if (into != null) {
                    System.arraycopy(octets, at, into, taken, piece);
                }
                taken += piece;
                at += piece;
                count += piece;
                justMarked = false;
            }
            return true;
        }

        private boolean due(boolean beforeCrc) {
            return marked()
                    && !(fault == FramingFault.MARKERS_FIRST_ABSENT && count == 0)
                    && !(fault == FramingFault.MARKERS_NOT_BEHIND_PAD && beforeCrc);
        }
    }

    /** An FPDU whose CRC is checked; its bytes on the wire begin at index {@code at} of the walked array. */
    private record Covered(byte[] all, int at, byte[] words, Sizes sizes, Walk walk) {
        byte[] seen() {
            return Arrays.copyOfRange(words, words.length - CRC, words.length);
        }

        /** RFC 5044 §4.4: all bytes before the CRC field, including Markers, also the one before the ULPDU_Length. */
        byte[] octets() {
            return Arrays.copyOf(all, walk.crcAt - at);
        }

        /** The same bytes without those that a sender with this fault does not cover. */
        byte[] without(FramingFault fault) {
            int end = walk.crcAt - at;
            int start = walk.start - at;
            BitSet markers = new BitSet();
            walk.markers.forEach(marker -> markers.set(marker - at, marker - at + MARKER));
            BitSet left = new BitSet();
            switch (fault) {
                case CRC_WITHOUT_LENGTH -> left.set(start, start + LENGTH);
                case CRC_WITHOUT_LEADING_MARKER -> left.set(0, start);
                case CRC_WITHOUT_TRAILING_MARKER -> left.set(end - MARKER, end, markers.get(end - 1));
                case CRC_WITHOUT_PAD -> {
                    // A Marker after or within the pad is covered.
                    for (int i = end - 1; left.cardinality() < sizes.pad; i--) {
                        left.set(i, !markers.get(i));
                    }
                }
                default -> left.or(markers);
            }
            byte[] covered = new byte[end - left.cardinality()];
            int kept = 0;
            for (int i = 0; i < end; i++) {
                if (!left.get(i)) {
                    covered[kept++] = all[i];
                }
            }
            return covered;
        }
    }

    private boolean crcGood(Covered fpdu) {
        byte[] seen = fpdu.seen();
        return switch (fault) {
            case CRC_ZERO -> Octets.number(seen, 0, CRC) == 0;
            case CRC_SWAPPED -> castagnoli(fpdu.octets(), new byte[] {seen[3], seen[2], seen[1], seen[0]});
            case CRC_WITHOUT_PAD,
                    CRC_WITHOUT_LENGTH,
                    CRC_WITHOUT_MARKERS,
                    CRC_WITHOUT_LEADING_MARKER,
                    CRC_WITHOUT_TRAILING_MARKER -> castagnoli(fpdu.without(fault), seen);
            case CRC_OF_ETHERNET -> {
                CRC32 crc = new CRC32();
                crc.update(fpdu.octets());
                yield littleEndian(seen) == crc.getValue();
            }
            case CRC_NOT_INVERTED -> littleEndian(seen) == raw(fpdu.octets(), -1);
            case CRC_FROM_ZERO -> littleEndian(seen) == (raw(fpdu.octets(), 0) ^ 0xFFFF_FFFFL);
            case CRC_BARE -> littleEndian(seen) == raw(fpdu.octets(), 0);
            case CRC_UNKNOWN -> !rightCrc(fpdu, seen);
            default -> rightCrc(fpdu, seen);
        };
    }

    private static boolean rightCrc(Covered fpdu, byte[] seen) {
        int length = fpdu.walk.crcAt - fpdu.at;
        return Arrays.equals(seen, Framer.crcOnTheWire(fpdu.all, 0, length));
    }

    private static boolean castagnoli(byte[] covered, byte[] seen) {
        return Arrays.equals(seen, Framer.crcOnTheWire(covered, 0, covered.length));
    }

    private static long littleEndian(byte[] seen) {
        return Octets.number(new byte[] {seen[3], seen[2], seen[1], seen[0]}, 0, CRC);
    }

    /** CRC32C without the final inversion, from any initial value, bit by bit: no class of the JDK computes this. */
    private static long raw(byte[] octets, int from) {
        int crc = from;
        for (byte octet : octets) {
            crc ^= octet & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) != 0 ? crc >>> 1 ^ 0x82F6_3B78 : crc >>> 1;
            }
        }
        return crc & 0xFFFF_FFFFL;
    }
}
