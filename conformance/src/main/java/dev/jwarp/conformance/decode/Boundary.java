package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Plausibility;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the start of an FPDU in the middle of a stream. Proof is a right CRC, a Marker that points at the
 * start, or a chain of lengths from header to header.
 */
final class Boundary {
    /** So many headers in a chain of lengths cannot be an accident. */
    private static final int CHAIN = 3;

    private static final String BY_CRC = "its CRC";

    /** The known facts about the stream. */
    record Known(@Nullable Boolean markers, boolean phase, boolean crcOff, boolean onlyCrc, FramingFault fault) {}

    /** Results of an earlier search in the same stream, which had fewer bytes then. */
    static final class Searched {
        private final Effort effort;
        private @Nullable Known known;
        private long ahead;
        /** No FPDU begins before this position of the stream. */
        private long until;
        /** Position of an FPDU whose CRC is wrong if it is read without Markers. */
        private long read = -1;

        Searched(Effort effort) {
            this.effort = effort;
        }

        /** Drops the results if the known facts have changed. */
        private void begin(Known now, long countAhead) {
            if (!now.equals(known) || ahead != countAhead) {
                known = now;
                ahead = countAhead;
                until = 0;
                read = -1;
            }
        }
    }

    /** The result for one place. */
    private enum Answer {
        NO,
        /** More bytes are needed. */
        WAIT,
        YES
    }

    private final StreamBuffer buffer;
    private final Known known;
    private final Searched searched;
    /** The position of the first byte of the buffer, counted from a Marker, if known. */
    private final long base;

    /** No more bytes will come. */
    private final boolean end;

    private int at;
    private boolean markers;
    private long position;
    private String how = "";

    Boundary(StreamBuffer buffer, Known known, long base, boolean end, Searched searched) {
        this.buffer = buffer;
        this.known = known;
        this.base = base;
        this.end = end;
        this.searched = searched;
        searched.begin(known, base - buffer.position());
    }

    /** Bytes before the start of the FPDU. */
    int at() {
        return at;
    }

    /** Whether the stream has Markers at that place. */
    boolean markers() {
        return markers;
    }

    /** The position of the start, counted from a Marker. */
    long position() {
        return position;
    }

    /** The evidence for the start. */
    String how() {
        return how;
    }

    /**
     * Tries every byte as the start of an FPDU.
     *
     * @return the byte at which to continue when more bytes have come; -1 if a start was found
     */
    int find() {
        int available = buffer.available();
        for (int offset = (int) Math.max(0, searched.until - buffer.position()); offset < available; offset++) {
            searched.until = buffer.position() + offset;
            searched.effort.spend(1);
            Answer answer = look(offset);
            if (answer == Answer.YES) {
                at = offset;
                return -1;
            }
            if (answer == Answer.WAIT && !end) {
                return offset;
            }
        }
        searched.until = buffer.position() + available;
        return available;
    }

    /** Whether an FPDU with Markers starts at the first byte; null if more bytes are needed. */
    @Nullable
    Boolean markersHere() {
        Answer answer = withMarkers(0);
        return (answer == Answer.WAIT && !end) ? null : Boolean.valueOf(answer == Answer.YES);
    }

    private Answer look(int offset) {
        Answer plain = known.markers == null || !known.markers ? withoutMarkers(offset) : Answer.NO;
        if (plain == Answer.YES || (known.markers != null && !known.markers)) {
            return plain;
        }
        Answer marked = withMarkers(offset);
        return marked == Answer.NO ? plain : marked;
    }

    private Answer withoutMarkers(int offset) {
        return judge(offset, false, 0);
    }

    private Answer withMarkers(int offset) {
        if (known.phase) {
            long here = base + offset;
            return here % 4 == 0 ? judge(offset, true, here) : Answer.NO;
        }
        // A Marker before the length is zero; a Marker within the FPDU holds its distance from the start. Other bytes
        // may look like a Marker, and a right CRC proves no place, as it covers Markers, too: then the next bytes
        // decide.
        List<Integer> places = new ArrayList<>();
        boolean wait = false;
        for (int distance = 0; distance < Framer.INTERVAL; distance += 4) {
            int marker = buffer.start() + offset + distance;
            if (marker + 4 > buffer.end()) {
                wait |= distance == 0;
                break;
            }
            // This runs up to 128 times for each byte. The last byte of a Marker differs nearly always: compare it
            // first.
            if (buffer.array()[marker + 3] == (byte) distance && Octets.number(buffer.array(), marker, 4) == distance) {
                Answer answer = judge(offset, true, before(distance));
                wait |= answer == Answer.WAIT;
                if (answer == Answer.YES) {
                    places.add(distance);
                }
            }
        }
        if (places.isEmpty()) {
            return wait ? Answer.WAIT : Answer.NO;
        }
        Answer first = judge(offset, true, before(places.get(0)));
        // Other fields of a header may have the value of a Marker at their place, and so may a CRC field of zeros
        // before it.
        boolean told = places.get(0) >= Certainty.HEADERS || (places.get(0) == 0 && how.equals(BY_CRC));
        return places.size() == 1 && told ? first : oneOf(offset, places);
    }

    /** The position of a byte that is so far before a Marker. */
    private static long before(int distance) {
        return distance == 0 ? 0 : Framer.INTERVAL - distance;
    }

    private Answer oneOf(int offset, List<Integer> places) {
        boolean wait = false;
        for (int distance : places) {
            Answer next = nextMarker(offset, before(distance));
            if (next == Answer.YES) {
                return judge(offset, true, before(distance));
            }
            wait |= next == Answer.WAIT;
        }
        return wait && !end ? Answer.WAIT : Answer.NO;
    }

    /** Follows the FPDUs up to one with the next Marker: if that Marker is at the right place, this one is, too. */
    private Answer nextMarker(int offset, long here) {
        int next = offset;
        long position = here;
        for (int i = 0; ; i++) {
            Fpdu fpdu = buffer.read(framing(true), next, position, position);
            if (fpdu == null) {
                return Answer.WAIT;
            }
            boolean pointed = fpdu.markers().stream().allMatch(m -> m.pointer() == m.expected());
            if (!Plausibility.ulpdu(fpdu.ulpdu()) || !pointed) {
                return Answer.NO;
            }
            if (i > 0 && !fpdu.markers().isEmpty()) {
                return Answer.YES;
            }
            next += fpdu.octets().length;
            position += fpdu.octets().length;
        }
    }

    private Framing framing(boolean withMarkers) {
        return new Framing(withMarkers, known.fault, 0);
    }

    /** Size of the Marker before the ULPDU_Length: 4 or 0. */
    private static int lead(boolean withMarkers, long position) {
        return withMarkers && position % Framer.INTERVAL == 0 ? 4 : 0;
    }

    /**
     * Whether no ULPDU_Length with a header begins at this index of the array.
     *
     * @param position the position of the FPDU, counted from a Marker
     */
    private boolean isHeaderImplausible(int index, boolean withMarkers, long position) {
        // A Marker among the first bytes divides the header.
        boolean divided = withMarkers && Framer.INTERVAL - position % Framer.INTERVAL < 20;
        int size = framing(withMarkers).ulpduLength((int) Octets.number(buffer.array(), index, 2));
        return !divided && !Plausibility.header(buffer.array(), index + 2, buffer.end(), size);
    }

    private Answer judge(int offset, boolean withMarkers, long here) {
        byte[] octets = buffer.array();
        int start = buffer.start() + offset;
        int lead = lead(withMarkers, here);
        if (buffer.end() - start < lead + 2 + 18) {
            return Answer.WAIT;
        }
        if (lead != 0 && Octets.number(octets, start, 4) != 0) {
            return Answer.NO;
        }
        if (isHeaderImplausible(start + lead, withMarkers, here)) {
            return Answer.NO;
        }
        int length = framing(withMarkers).length(octets, start, buffer.end(), here);
        if (buffer.end() - start < length) {
            return Answer.WAIT;
        }
        if (!withMarkers && searched.read == buffer.position() + offset) {
            return byWhatFollows(offset, false, here, length);
        }
        if (!searched.effort.isLeft()) {
            return Answer.NO;
        }
        Fpdu fpdu = buffer.read(framing(withMarkers), offset, here, here);
        if (fpdu == null) {
            return Answer.WAIT;
        }
        if (!Plausibility.ulpdu(fpdu.ulpdu())) {
            return Answer.NO;
        }
        if (fpdu.crcGood() && !known.fault.provesNothing()) {
            return yes(withMarkers, here, BY_CRC);
        }
        if (known.onlyCrc) {
            return Answer.NO;
        }
        // The MSN or MO of a header may happen to have the value of a Marker at its place.
        boolean pointed = fpdu.markers().stream().anyMatch(m -> m.expected() >= Certainty.HEADERS);
        if (pointed && fpdu.markers().stream().allMatch(m -> m.reserved() == 0 && m.pointer() == m.expected())) {
            return yes(withMarkers, here, "its Marker");
        }
        searched.read = withMarkers ? searched.read : buffer.position() + offset;
        return byWhatFollows(offset, withMarkers, here, length);
    }

    private Answer byWhatFollows(int offset, boolean withMarkers, long here, int length) {
        return known.crcOff || known.fault.provesNothing() ? chain(offset, withMarkers, here, length) : Answer.NO;
    }

    private Answer chain(int offset, boolean withMarkers, long here, int length) {
        int next = offset + length;
        int links = 1;
        while (links < CHAIN) {
            int left = buffer.available() - next;
            if (left == 0 && end) {
                // The stream ends where the FPDU ends; an FPDU that also begins a TCP segment is no accident.
                return links > 1 || buffer.beginsFrame(offset)
                        ? yes(withMarkers, here, "a chain of lengths to the end")
                        : Answer.NO;
            }
            int start = buffer.start() + next;
            long position = here + (next - offset);
            int lead = lead(withMarkers, position);
            if (left < lead + 20) {
                return Answer.WAIT;
            }
            if (isHeaderImplausible(start + lead, withMarkers, position)) {
                return Answer.NO;
            }
            links++;
            int more = framing(withMarkers).length(buffer.array(), start, buffer.end(), position);
            if (more == 0) {
                return Answer.NO;
            }
            if (links < CHAIN && more > left) {
                return Answer.WAIT;
            }
            next += more;
        }
        return yes(withMarkers, here, "a chain of lengths");
    }

    private Answer yes(boolean withMarkers, long here, String why) {
        markers = withMarkers;
        position = here;
        how = why;
        return Answer.YES;
    }
}
