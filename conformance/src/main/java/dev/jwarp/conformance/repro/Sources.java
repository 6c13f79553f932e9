package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the origin of values that the tester sends: STags and tagged offsets differ from run to run, and are found in
 * earlier bytes of the device. Not thread-safe.
 */
final class Sources {
    /** Largest distance of a tagged offset from the start of its region. */
    private static final long NEAR = 1L << 32;

    /** Largest distance of a deliberately wrong STag from the STag of the device that it was made from. */
    private static final long CLOSE = 256;

    /** Smaller numbers occur by chance. */
    private static final long LEAST = 1 << 16;

    /**
     * Offset of a tagged offset from its STag: after it, as in a conformance target's regions and in requests, or
     * before it, as with rping.
     */
    private static final int[] NEXT = {8, 4, -8};

    private final List<Octets> heard = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    /** A place in the device's stream, and a number to add to the value there. */
    record Source(int conversation, int at, int length, long delta) {
        String text() {
            return "{" + (conversation + 1) + ":" + at + ":" + length + (delta == 0 ? "" : "+" + delta) + "}";
        }
    }

    /** The next conversation has begun. */
    void connected(int port) {
        heard.add(new Octets());
        ports.add(port);
    }

    /** Appends bytes that the device sent. */
    void heard(int conversation, byte[] octets) {
        heard.get(conversation).add(octets);
    }

    /** The word for the port of an earlier conversation; empty if there is none with this port. */
    String port(long number) {
        int at = ports.indexOf((int) number);
        return number > 0xFFFF || at < 0 ? "" : "{port:" + (at + 1) + "}";
    }

    /** The origin of this STag, or of the STag that it was made from; null if it is the tester's own. */
    @Nullable
    Source stag(long stag) {
        Source exact = find(stag, 4, 0);
        return exact != null ? exact : find(stag, 4, CLOSE);
    }

    /** The origin of this tagged offset, if it is beside its STag; null if it is the tester's own. */
    @Nullable
    Source offset(long to, Source stag) {
        byte[] said = heard.get(stag.conversation()).bytes();
        Source best = null;
        for (int next : NEXT) {
            int at = stag.at() + next;
            if (at >= 0 && at + 8 <= said.length) {
                long delta = to - Octets.number(said, at, 8);
                if (Math.abs(delta) < NEAR && (best == null || Math.abs(delta) < Math.abs(best.delta()))) {
                    best = new Source(stag.conversation(), at, 8, delta);
                }
            }
        }
        return best;
    }

    /** The origin of a number, such as a port; null if the device did not send it. */
    @Nullable
    Source number(long number) {
        return find(number, 8, 0);
    }

    private @Nullable Source find(long number, int length, long away) {
        if (number < (length == 4 ? LEAST : 1)) {
            return null;
        }
        for (int c = heard.size() - 1; c >= 0; c--) {
            byte[] said = heard.get(c).bytes();
            for (int at = 0; at + length <= said.length; at++) {
                long there = Octets.number(said, at, length);
                if (there == number || (there >= LEAST && Math.abs(number - there) <= away)) {
                    return new Source(c, at, length, number - there);
                }
            }
        }
        return null;
    }
}
