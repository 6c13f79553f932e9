package dev.jwarp.conformance.capture;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Assembles IP packets from their fragments (RFC 791 §3.2, RFC 8200 §4.5). The number of incomplete packets is limited;
 * a new one replaces the oldest.
 */
final class Fragments {
    private static final int MOST_PACKETS = 64;
    private static final int LONGEST = 65_535;

    /** The fields that all fragments of one packet have in common. */
    record Key(InetAddress source, InetAddress target, int protocol, long identification) {}

    private static final class Pieces {
        private final TreeMap<Integer, byte[]> byOffset = new TreeMap<>();
        private int total = -1;
        private int held;

        boolean isFree(int from, int to) {
            Map.Entry<Integer, byte[]> before = byOffset.lowerEntry(to);
            return before == null || before.getKey() + before.getValue().length <= from;
        }

        int end() {
            Map.Entry<Integer, byte[]> last = byOffset.lastEntry();
            return last.getKey() + last.getValue().length;
        }
    }

    private final Map<Key, Pieces> packets = new LinkedHashMap<>();

    /** Adds a fragment. Returns the whole payload once no fragment is missing, otherwise null. */
    byte @Nullable [] add(Key key, int offset, boolean more, byte[] octets) {
        if (offset + octets.length > LONGEST) {
            return null;
        }
        Pieces pieces = packets.computeIfAbsent(key, k -> new Pieces());
        // No sender makes fragments that overlap, except for copies.
        if (octets.length > 0 && pieces.isFree(offset, offset + octets.length)) {
            pieces.byOffset.put(offset, octets);
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
        }
        return whole;
    }

    private static byte @Nullable [] whole(Pieces pieces) {
        if (pieces.held != pieces.total || pieces.byOffset.isEmpty() || pieces.end() != pieces.total) {
            return null;
        }
        byte[] whole = new byte[pieces.total];
        pieces.byOffset.forEach((at, octets) -> System.arraycopy(octets, 0, whole, at, octets.length));
        return whole;
    }
}
