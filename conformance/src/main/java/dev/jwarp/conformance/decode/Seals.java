package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.Envelopes;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.wire.Octets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges the tags of envelopes (datagram-iWARP §4.8) by the known keys. Other tags are not judged. */
final class Seals {
    private static final int MOST_UNKNOWN = 1024;

    private final @Nullable KeyRing keys;
    private final Set<Long> unknown = new HashSet<>();

    /**
     * @param keys the known keys; null: no tag is judged
     */
    Seals(@Nullable KeyRing keys) {
        this.keys = keys;
    }

    /**
     * Judges a datagram, if it is an envelope.
     *
     * @return a remark about its key; null if there is nothing to say
     */
    @Nullable
    String judge(byte[] octets, List<Finding> findings) {
        if (keys == null || Datagram.parse(octets).within() == null) {
            return null;
        }
        long key = Octets.number(octets, Envelopes.KEY_ID, 4);
        switch (keys.tagOf(octets)) {
            case RIGHT -> {
                return null;
            }
            case WRONG -> {
                findings.add(new Finding("DG-4.8-1", "the tag is not that of key " + key + " in the file of keys"));
                return null;
            }
            default -> {
                boolean news = unknown.size() < MOST_UNKNOWN && unknown.add(key);
                return news ? "the tags of key " + key + " are not checked: it is not in the file of keys" : null;
            }
        }
    }
}
