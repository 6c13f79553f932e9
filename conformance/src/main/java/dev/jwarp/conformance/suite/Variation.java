package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.wire.Depths;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The choices of the tester that a case leaves open: at start-up, and in how the tester writes.
 *
 * @param markers whether the tester asks for Markers
 * @param crc whether the tester asks for CRCs; if the device asks for CRCs, they are in use in any case
 * @param start how a connection begins
 * @param writes how the tester divides FPDUs into writes to TCP
 */
public record Variation(boolean markers, boolean crc, Start start, Wire.Writes writes) {
    /** Revision 2, CRCs, no Markers, client and server, a write for each FPDU. */
    public static final Variation USUAL = new Variation(false, true, Start.USUAL, Wire.Writes.EACH);

    /** How a connection begins. Only a Request can begin in an unusual way: a Reply has to fit its Request. */
    public enum Start {
        USUAL(""),
        REVISION_1("with revision 1"),
        /** With an empty RDMA Write as Ready-to-Receive message. */
        PEER_TO_PEER("peer to peer");

        private final String words;

        Start(String words) {
            this.words = words;
        }
    }

    /** Which variations are tried besides the usual choices. */
    public enum Coverage {
        /** None. */
        DEFAULT,
        /** Each unusual choice, alone. */
        EACH,
        /** Enough variations for each two choices to occur together. */
        PAIRS,
        /** All variations. */
        ALL;

        /** The variations, the less unusual ones first. */
        public List<Variation> variations() {
            List<Variation> all = new ArrayList<>(every());
            all.sort((a, b) -> Integer.compare(a.values().size(), b.values().size()));
            return switch (this) {
                case DEFAULT -> List.of();
                case EACH -> all.stream().filter(c -> c.values().size() == 1).toList();
                case PAIRS -> pairs(all);
                case ALL -> all.stream().filter(c -> !c.equals(USUAL)).toList();
            };
        }

        /**
         * Takes the variation with the most missing pairs, until no pair is missing. A single choice is a
         * pair of an unusual and a usual choice.
         */
        private static List<Variation> pairs(List<Variation> all) {
            Set<Set<Object>> missing = new HashSet<>();
            all.forEach(c -> missing.addAll(c.allPairs()));
            missing.removeAll(USUAL.allPairs());
            List<Variation> chosen = new ArrayList<>();
            while (!missing.isEmpty()) {
                Variation best = USUAL;
                long most = 0;
                for (Variation one : all) {
                    long brings =
                            one.allPairs().stream().filter(missing::contains).count();
                    if (brings > most) {
                        most = brings;
                        best = one;
                    }
                }
                chosen.add(best);
                missing.removeAll(best.allPairs());
            }
            return chosen;
        }
    }

    private static List<Variation> every() {
        List<Variation> every = new ArrayList<>();
        for (Start start : Start.values()) {
            for (Wire.Writes writes : Wire.Writes.values()) {
                for (int i = 0; i < 4; i++) {
                    every.add(new Variation((i & 1) != 0, (i & 2) == 0, start, writes));
                }
            }
        }
        return every;
    }

    private Set<Set<Object>> allPairs() {
        List<Object> values = List.of("markers " + markers, "crc " + crc, start, writes);
        Set<Set<Object>> pairs = new HashSet<>();
        for (Object one : values) {
            for (Object other : values) {
                if (one != other) {
                    pairs.add(Set.of(one, other));
                }
            }
        }
        return pairs;
    }

    /** The unusual choices, in words for a report. */
    List<String> values() {
        List<String> values = new ArrayList<>();
        if (markers) {
            values.add("with Markers for the tester");
        }
        if (!crc) {
            values.add("without CRCs asked by the tester");
        }
        if (start != Start.USUAL) {
            values.add(start.words);
        }
        if (writes != Wire.Writes.EACH) {
            values.add(writes == Wire.Writes.BYTE_BY_BYTE ? "byte by byte" : "with FPDUs together in one write");
        }
        return values;
    }

    /** The same variation with one unusual choice less, for each such choice. */
    List<Variation> simpler() {
        return Stream.of(
                        new Variation(false, crc, start, writes),
                        new Variation(markers, true, start, writes),
                        new Variation(markers, crc, Start.USUAL, writes),
                        new Variation(markers, crc, start, Wire.Writes.EACH))
                .filter(c -> !c.equals(this))
                .toList();
    }

    /** Whether this variation has all unusual choices of the other variation. */
    boolean contains(Variation other) {
        return values().containsAll(other.values());
    }

    /** Whether this variation is possible with a device in this role. */
    boolean fits(Role device) {
        return device == Role.RESPONDER || (device == Role.INITIATOR && start == Start.USUAL);
    }

    /** The offer of the tester with these choices. */
    Offer on(Offer offer) {
        Offer chosen = crc ? offer : offer.withCrc(false);
        chosen = markers ? chosen.withMarkers() : chosen;
        Depths own = chosen.depths();
        return switch (start) {
            case USUAL -> chosen;
            case REVISION_1 -> chosen.plain(1);
            case PEER_TO_PEER -> chosen.with(new Depths(true, Depths.WRITE, own.ird(), own.ord()));
        };
    }
}
