package dev.jwarp.conformance.capture;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts IP packets together again that were sent in fragments (RFC 791 §3.2, RFC 8200 §4.5). Holds few; the oldest is
 * dropped for a new one.
 */
final class Fragments {
    private static final int MOST_PACKETS = 64;
    private static final int LONGEST = 65_535;

    /** What the fragments of one packet have in common. */
    record Key(InetAddress source, InetAddress target, int protocol, long identification) {}

    private static final class Pieces {
        private final TreeMap<Integer, byte[]> byOffset = new TreeMap<>();
        private int total = -1;
        private int held;
    }

    private final Map<Key, Pieces> packets = new LinkedHashMap<>();
    private long givenUp;

    /** Adds a fragment; the whole payload if it was the last one missing, else null. */
    byte @Nullable [] add(Key key, int offset, boolean more, byte[] octets) {
        if (offset + octets.length > LONGEST) {
            return null;
        }
        Pieces pieces = packets.computeIfAbsent(key, k -> new Pieces());
        // Copies and overlaps are taken as far as they do not let it grow.
        if (pieces.held + octets.length <= 2 * LONGEST && pieces.byOffset.putIfAbsent(offset, octets) == null) {
            pieces.held += octets.length;
        }
        if (!more) {
            pieces.total = offset + octets.length;
        }
        byte[] whole = whole(pieces);
        if (whole != null) {
            packets.remove(key);
        } else if (packets.size() > MOST_PACKETS) {
            packets.remove(packets.keySet().iterator().next());
            givenUp++;
        }
        return whole;
    }

    private static byte @Nullable [] whole(Pieces pieces) {
        if (pieces.total < 0) {
            return null;
        }
        byte[] whole = new byte[pieces.total];
        int reached = 0;
        for (Map.Entry<Integer, byte[]> piece : pieces.byOffset.entrySet()) {
            int at = piece.getKey();
            if (at > reached) {
                return null;
            }
            int length = Math.min(piece.getValue().length, pieces.total - at);
            if (length > 0) {
                System.arraycopy(piece.getValue(), 0, whole, at, length);
            }
            reached = Math.max(reached, at + length);
        }
        return reached == pieces.total ? whole : null;
    }

    /** Packets of which a fragment came, but not all. */
    long incomplete() {
        return givenUp + packets.size();
    }
}
