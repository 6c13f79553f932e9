package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes one FPDU out of octets that begin with it (RFC 5044 §4, §5.2). Knows nothing of streams. */
final class FpduReader {
    /** The longest there is: 65,535 octets of ULPDU, length, pad, CRC, and the Markers between. */
    static final int LONGEST = 2 + 65_535 + 3 + 4 + 4 * (1 + 65_544 / 508);

    private static final int INTERVAL = Framer.INTERVAL;
    private static final int WORD = 4;
    private static final int BETWEEN = INTERVAL - WORD;

    private FpduReader() {}

    /**
     * Octets of the FPDU that begins at {@code at}, Markers included; 0 if not even its length is there.
     *
     * @param position of the octet at {@code at}, counted from a Marker; looked at with Markers only
     */
    static int length(byte[] octets, int at, int end, boolean markers, long position) {
        int lead = lead(markers, position);
        if (end - at < lead + WORD) {
            return 0;
        }
        int size = (int) Octets.number(octets, at + lead, 2);
        int body = ((2 + size + 3) & ~3) + WORD;
        if (!markers) {
            return body;
        }
        int first = untilMarker(position + lead);
        return lead + body + (body > first ? WORD * (1 + (body - first - 1) / BETWEEN) : 0);
    }

    /** Octets of the Marker that stands before the ULPDU_Length: 4 or 0. */
    static int lead(boolean markers, long position) {
        return markers && position % INTERVAL == 0 ? WORD : 0;
    }

    private static int untilMarker(long position) {
        return (int) (INTERVAL - position % INTERVAL);
    }

    /** The FPDU that begins at {@code at}, or null if it does not end before {@code end}. */
    static @Nullable Fpdu read(byte[] octets, int at, int end, boolean markers, long position) {
        int total = length(octets, at, end, markers, position);
        if (total == 0 || end - at < total) {
            return null;
        }
        int lead = lead(markers, position);
        int size = (int) Octets.number(octets, at + lead, 2);
        byte[] all = Arrays.copyOfRange(octets, at, at + total);
        boolean crcGood = crcGood(all);
        if (!markers) {
            return new Fpdu(
                    all,
                    position,
                    Arrays.copyOfRange(all, 2, 2 + size),
                    Arrays.copyOfRange(all, 2 + size, total - WORD),
                    List.of(),
                    crcGood);
        }
        List<Fpdu.Marker> found = new ArrayList<>();
        byte[] words = new byte[(2 + size + 3) & ~3];
        int filled = 0;
        int from = 0;
        while (from < total) {
            if ((position + from) % INTERVAL == 0) {
                found.add(marker(all, from, position, from == 0 ? 0 : from - lead));
                from += WORD;
            }
            int to = Math.min(total, from + untilMarker(position + from));
            int length = Math.min(to - from, words.length - filled);
            System.arraycopy(all, from, words, filled, length);
            filled += length;
            from = to;
        }
        return new Fpdu(
                all,
                position,
                Arrays.copyOfRange(words, 2, 2 + size),
                Arrays.copyOfRange(words, 2 + size, words.length),
                List.copyOf(found),
                crcGood);
    }

    private static Fpdu.Marker marker(byte[] octets, int at, long position, int expected) {
        return new Fpdu.Marker(
                position + at,
                (int) Octets.number(octets, at, 2),
                (int) Octets.number(octets, at + 2, 2),
                expected & 0xFFFF);
    }

    /** RFC 5044 §4.4: over all but itself; a Marker before the ULPDU_Length counts. */
    private static boolean crcGood(byte[] all) {
        int end = all.length - WORD;
        return Arrays.equals(all, end, all.length, Framer.crcOnTheWire(all, 0, end), 0, WORD);
    }
}
