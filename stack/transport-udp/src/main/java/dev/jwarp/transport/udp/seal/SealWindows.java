package dev.jwarp.transport.udp.seal;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.source.SourceTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Replay windows: the last 1,024 sequence numbers for each key and origin (datagram-iWARP §4.8, DG-4.8-8). Only a
 * datagram with a correct tag creates an entry. An entry is evicted only when none of its datagrams is fresh any more;
 * until then a new origin is refused, so no datagram is accepted twice. Owner only; allocates for a new origin.
 */
final class SealWindows {
    /** The length of a window in sequence numbers. */
    static final int WINDOW = 1_024;

    private static final int WORDS = WINDOW / Long.SIZE;

    private static final class Window {
        private final long[] seen = new long[WORDS];
        private long highest;
        private long newest;

        void clear() {
            Arrays.fill(seen, 0);
            highest = 0;
            newest = 0;
        }

        boolean take(long sequence) {
            long ahead = sequence - highest;
            if (ahead <= -WINDOW) {
                return false;
            }
            if (ahead > 0) {
                if (ahead >= WINDOW) {
                    Arrays.fill(seen, 0);
                } else {
                    for (long i = highest + 1; i <= sequence; i++) {
                        seen[word(i)] &= ~bit(i);
                    }
                }
                highest = sequence;
            } else if ((seen[word(sequence)] & bit(sequence)) != 0) {
                return false;
            }
            seen[word(sequence)] |= bit(sequence);
            return true;
        }

        private static int word(long sequence) {
            return (int) (sequence / Long.SIZE) & (WORDS - 1);
        }

        private static long bit(long sequence) {
            return 1L << sequence;
        }
    }

    private final SourceTable origins;
    private final @Nullable Window[] windows;
    private final DatagramAddress name = new DatagramAddress();

    SealWindows(int most, long secret) {
        origins = new SourceTable(most, secret);
        windows = new Window[most];
    }

    /**
     * {@return whether an authentic datagram came for the first time}
     *
     * @param time the time in the datagram
     * @param oldest datagrams with an earlier time are not fresh
     */
    boolean take(int keyId, long origin, long sequence, long time, long oldest) {
        if (sequence <= 0) {
            return false;
        }
        name.set(origin, keyId, 0, 0);
        int full = origins.find(name) < 0 ? origins.next() : -1;
        Window inTheWay = full < 0 ? null : windows[full];
        if (inTheWay != null && inTheWay.newest >= oldest) {
            return false;
        }
        int slot = origins.put(name);
        Window window = windows[slot];
        if (window == null) {
            window = new Window();
            windows[slot] = window;
        } else if (origins.fresh()) {
            window.clear();
        }
        window.newest = Math.max(window.newest, time);
        return window.take(sequence);
    }
}
