package dev.jwarp.conformance.wire;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which rule of framing a sender breaks, from the first bytes of its direction of a stream: reads them rightly and by each wrong rule
 * that is known ({@link FramingFault}) at the same time, and sees which reading makes sense. What makes sense is an FPDU with a CRC that
 * is right by that rule, or, where CRCs are not in use, with a plausible DDP header; and Markers that point where they have to.
 *
 * <p>A fault of one FPDU, a changed bit say, is none of framing: no reading explains it. Neither is one believed that fewer bytes show than no
 * accident can. Give it every byte from the first behind the startup frame on; it keeps less than 128 KiB of them. Sans-IO; for one thread.
 */
public final class FramingDiagnosis {
    private static final int HEAD = 2 + 18;
    /** FPDUs that only one reading explains, and that have no CRC to prove it. */
    private static final int CHAIN = 2;
    /** The same where the stream goes on: changed bytes of one FPDU may look like two of another rule. And for CRCs by no rule. */
    private static final int LONG_CHAIN = 3;

    /** FPDUs in the right reading that are kept; others are read again. */
    private static final int MOST_KEPT = 256;

    /** FPDUs that two rules explain in the same way: then the first of them is believed. */
    private static final int ENOUGH = 8;

    /** What is known. */
    public enum State {
        /** All FPDUs so far are framed as RFC 5044 asks, as far as can be seen. */
        RIGHT,
        /** The right reading fails, and more bytes are needed to tell why. */
        UNDECIDED,
        /** One wrong rule explains what the right reading does not. */
        BROKEN,
        /** No reading explains it: something is wrong with a single FPDU, or everything is. */
        UNEXPLAINED
    }

    /**
     * An answer.
     *
     * @param framing how to read the stream on, from its start; the right framing unless the state is {@link State#BROKEN}
     * @param requirement the id in the catalogue of what is broken, or, while undecided, of the likeliest of several rules one of which is
     *     broken; else empty
     * @param what how it shows, in the requirement's own terms; or empty
     * @param sure whether enough bytes were seen to tell a fault of Markers from all others
     */
    public record Verdict(State state, Framing framing, String requirement, String what, boolean sure) {
        /** The wrong rule. */
        public FramingFault fault() {
            return framing.fault();
        }
    }

    private final boolean markers;
    private final boolean crc;
    private final boolean agreed;
    private final List<Reading> readings = new ArrayList<>();
    private final Reading right;
    /** FPDUs that make sense in the right reading: where they begin and end. */
    private final Map<Long, Long> rightly = new HashMap<>();

    private final Window window;
    /** What positions since full operation began are ahead of those of the window. */
    private final long ahead;

    private long work;

    /**
     * A direction of which full operation begins.
     *
     * @param markers whether Markers were agreed on in this direction
     * @param crc whether CRCs are in use
     * @param startOctets the length of the sender's startup frame
     */
    public FramingDiagnosis(boolean markers, boolean crc, int startOctets) {
        this(markers, crc, startOctets, new Place(0, 0, 0, true, 0), EnumSet.allOf(FramingFault.class), new Window());
    }

    /**
     * A direction that is taken up where an FPDU begins; all before it is framed rightly.
     *
     * @param open the faults that what came before does not contradict ({@link Framing#agrees})
     * @param window holds the bytes from there on, for as long as this is asked; {@link #go} when it has more
     */
    public FramingDiagnosis(
            boolean markers, boolean crc, int startOctets, Place place, Set<FramingFault> open, Window window) {
        this.markers = markers;
        this.crc = crc;
        this.window = window;
        this.ahead = place.position - place.inWindow;
        this.agreed = place.agreed;
        right = new Reading(new Framing(markers, FramingFault.NONE, startOctets), place);
        readings.add(right);
        for (FramingFault fault : FramingFault.values()) {
            if (fault != FramingFault.NONE && open.contains(fault) && applies(fault)) {
                readings.add(new Reading(new Framing(markers, fault, startOctets), place));
            }
        }
    }

    /**
     * Where an FPDU begins.
     *
     * @param position bytes since full operation began
     * @param fpdus how many were before it
     * @param markers how many Markers were in them
     * @param agreed whether it is known where Markers are, or that there are none
     * @param inWindow the position by which the window has it
     */
    public record Place(long position, long fpdus, long markers, boolean agreed, long inWindow) {}

    private boolean applies(FramingFault fault) {
        return switch (fault) {
            case NONE, CRC_ABSENT -> true;
            case MARKERS_UNASKED -> !markers;
            case CRC_WITHOUT_MARKERS, CRC_WITHOUT_LEADING_MARKER, CRC_WITHOUT_TRAILING_MARKER -> crc && markers;
            case LENGTH_COUNTS_MARKERS -> markers;
            case MARKERS_COUNT_HEADER -> markers && right.framing.startOctets() != StartFrame.HEADER;
            default -> fault.ofCrc() ? crc : markers || !fault.ofMarkers();
        };
    }

    /** Takes the next bytes of the stream, where no one else puts them into the window. */
    public void add(byte[] octets) {
        window.drop((int) (needed() - ahead - window.position()));
        window.add(octets, 0, octets.length);
        go();
    }

    /** Looks at what has come into the window. */
    public void go() {
        long needed = needed();
        rightly.keySet().removeIf(start -> start < needed);
        readings.forEach(Reading::go);
    }

    /** In front of this position no reading needs anything. */
    private long needed() {
        long needed = end();
        for (Reading reading : readings) {
            needed = reading.dead ? needed : Math.min(needed, reading.position);
        }
        return needed;
    }

    /** {@return octets of the FPDUs that all readings have gone over} */
    public long work() {
        return work;
    }

    /**
     * What can be said now.
     *
     * @param over that no more bytes will come: the stream has ended where an FPDU should end, or its sender waits for an answer
     */
    public Verdict verdict(boolean over) {
        boolean fails = right.dead || right.doubtful || (over && right.position < end());
        boolean hope = false;
        List<Reading> proven = new ArrayList<>();
        for (Reading reading : readings.subList(1, readings.size())) {
            if (!reading.dead && !reading.doubtful) {
                hope = true;
                if (reading.isProven(fails, over)) {
                    proven.add(reading);
                }
            }
        }
        int weight = proven.stream().mapToInt(Reading::weight).max().orElse(0);
        proven.removeIf(reading -> reading.weight() < weight);
        // What several rules explain in the same way, the next FPDUs tell apart.
        if (!proven.isEmpty()) {
            Reading best = proven.get(0);
            boolean one = proven.size() == 1 || best.isSettled();
            boolean told = over || one;
            return new Verdict(
                    told ? State.BROKEN : State.UNDECIDED,
                    told ? best.framing : right.framing,
                    best.fault.requirement(crc),
                    best.what(one),
                    one && best.position > 2 * Framer.INTERVAL);
        }
        State state = !fails ? State.RIGHT : hope && !over ? State.UNDECIDED : State.UNEXPLAINED;
        return new Verdict(state, right.framing, "", "", false);
    }

    private long end() {
        return window.position() + window.available() + ahead;
    }

    /** The bytes read by one rule. */
    private final class Reading {
        private final Framing framing;
        private final FramingFault fault;
        /** Its CRC fields say by their values that it is the right reading. */
        private final boolean provesByCrc;

        private long position;
        private long count;
        /** Something was read that makes no sense by this rule. */
        private boolean dead;
        /** What it waits for the end of does not look like an FPDU. */
        private boolean doubtful;
        /** FPDUs that make sense by this rule, and not by the right one. */
        private int alone;

        private boolean padKnown;
        /** Bytes of the pad of the first of them, and of the ULPDU before it. */
        private int padLength;

        private int ulpduLength;
        private @Nullable PriorSegment before;
        /** Bytes at the end of the segment before that the offset of this one does not count. */
        private int surplus;

        /** In front of this position the FPDU that is waited for does not end. */
        private long wanted;

        /** All of them have a right CRC, or a CRC field of zeros behind something else. */
        private boolean crcsRight = true;

        private boolean crcsZero = true;
        private boolean padsZero = true;
        /** Their headers, sizes and offsets are right, too. */
        private boolean fitting = true;

        /** There was a Marker within an FPDU. */
        private boolean marked;
        /** A Marker within an FPDU is where this rule wants it, and the right one does not. */
        private boolean pointed;

        Reading(Framing framing, Place place) {
            this.framing = framing;
            fault = framing.fault();
            position = place.position;
            count = framing.countAt(position, place.fpdus, place.markers);
            provesByCrc = crc && !fault.provesNothing();
        }

        void go() {
            Fpdu fpdu = dead || end() < wanted ? null : read();
            while (fpdu != null) {
                work += fpdu.octets().length;
                if (!makesSense(fpdu)) {
                    dead = true;
                    return;
                }
                compare(fpdu);
                position += fpdu.octets().length;
                count = framing.countAfter(count, fpdu);
                fpdu = read();
            }
            if (!dead && end() >= wanted) {
                look();
            }
        }

        private @Nullable Fpdu read() {
            return framing.read(window.array(), here(), window.end(), position, count);
        }

        private int here() {
            return window.start() + (int) (position - ahead - window.position());
        }

        private boolean makesSense(Fpdu fpdu) {
            for (Fpdu.Marker marker : fpdu.markers()) {
                if (marker.reserved() != 0 || !marker.points()) {
                    return false;
                }
            }
            if (crc && !fpdu.crcGood()) {
                return false;
            }
            if (!agreed && fault.ofSize() && (fpdu.likeMarker() >= HEAD || !zero(fpdu.pad()))) {
                // What there is more than by the right reading may be Markers.
                return false;
            }
            boolean sensible = Plausibility.ulpdu(fpdu.ulpdu());
            if (fault != FramingFault.NONE) {
                fitting &= sensible && fits(fpdu);
            }
            // A right CRC proves more than a header, which may have faults of its own.
            return (provesByCrc && fault != FramingFault.LENGTH_COUNTS_PAD) || (sensible && fitting);
        }

        private static boolean zero(byte[] pad) {
            return Octets.number(pad, 0, pad.length) == 0;
        }

        /** The sizes of messages and the offsets of segments are as the lengths say, so the lengths are read as they are meant. */
        private boolean fits(Fpdu fpdu) {
            Segment segment = fpdu.segment();
            PriorSegment last = before;
            before = PriorSegment.of(segment);
            int length = segment.payload().length;
            Opcode opcode = segment.opcode();
            int wanted = opcode == null
                    ? length
                    : switch (opcode) {
                        case READ_REQUEST, IMMEDIATE, IMMEDIATE_SE, ATOMIC_REQUEST, ATOMIC_RESPONSE -> opcode.header();
                        default -> length;
                    };
            surplus = last == null || !last.isContinuedBy(segment) ? 0 : last.uncounted(segment);
            return length == wanted && (surplus == 0 || (surplus > 0 && surplus < 4 && fault.countsPad()));
        }

        private void compare(Fpdu fpdu) {
            long next = position + fpdu.octets().length;
            marked |= fpdu.markers().stream().anyMatch(marker -> marker.pointer() != 0);
            if (fault == FramingFault.NONE) {
                if (rightly.size() < MOST_KEPT) {
                    rightly.put(position, next);
                }
            } else if ((surplus > 0 && fault.countsPad()) || !isRightToo(next)) {
                alone++;
                if (!padKnown) {
                    padKnown = true;
                    padLength = fpdu.pad().length;
                    ulpduLength = fpdu.ulpdu().length;
                }
                weigh(fpdu);
            }
        }

        /** True if the right reading ends there, too, when it begins here: it may have failed before for another reason. */
        private boolean isRightToo(long next) {
            Long end = rightly.get(position);
            if (end != null) {
                return end == next;
            }
            Fpdu fpdu = right.framing.read(window.array(), here(), window.end(), position, position);
            work += fpdu == null ? 0 : fpdu.octets().length;
            return fpdu != null && position + fpdu.octets().length == next && right.makesSense(fpdu);
        }

        private void weigh(Fpdu fpdu) {
            pointed |= fpdu.markers().stream().anyMatch(marker -> marker.pointer() != 0);
            padsZero &= zero(fpdu.pad());
            crcsRight &= fpdu.crcGood() && !fault.lacksCrc();
            byte[] octets = fpdu.octets();
            crcsZero &= !fault.lacksCrc()
                    && Octets.number(octets, octets.length - 4, 4) == 0
                    && Octets.number(octets, octets.length - 8, 4) != 0;
        }

        /** Of two readings that explain the same bytes, the one whose CRC fields and pads look like some is believed. */
        int weight() {
            return (fitting ? 8 : 0) + (crcsRight ? 4 : crcsZero ? 2 : 0) + (padsZero ? 1 : 0);
        }

        /** Looks at the FPDU that is not there to its end. */
        private void look() {
            byte[] head = framing.head(window.array(), here(), window.end(), count, HEAD);
            int size = head.length < 2 ? 0 : framing.ulpduLength((int) Octets.number(head, 0, 2));
            dead |= size < 0;
            doubtful = head.length == HEAD && !Plausibility.header(head, 2, head.length, size);
            wanted = head.length < HEAD ? 0 : position + framing.length(window.array(), here(), window.end(), count);
        }

        /** No more is waited for to tell it from other rules. */
        boolean isSettled() {
            return alone >= ENOUGH && (!framing.markers() || position > 2 * Framer.INTERVAL);
        }

        boolean isProven(boolean rightFails, boolean over) {
            boolean exact = over && position == end();
            if (fault == FramingFault.LENGTH_COUNTS_PAD) {
                return alone >= (over ? 1 : CHAIN);
            } else if (fault == FramingFault.CRC_UNKNOWN) {
                return rightFails && alone >= LONG_CHAIN;
            } else if (provesByCrc) {
                return alone > 0;
            } else if (fault == FramingFault.MARKERS_FORGET_CRC || fault == FramingFault.MARKERS_FORGET_THEMSELVES) {
                return rightFails && pointed && alone >= CHAIN;
            } else if (fault == FramingFault.MARKERS_FIRST_ABSENT) {
                // All but the first FPDU are as they should be.
                return rightFails && marked;
            } else if (fault == FramingFault.MARKERS_ABSENT) {
                return rightFails && alone >= (exact ? 1 : LONG_CHAIN);
            }
            return alone >= (rightFails && exact ? 1 : LONG_CHAIN);
        }

        /** @param alone no other rule explains it as well */
        String what(boolean alone) {
            if (!padKnown || !fault.name().startsWith("PAD_")) {
                return fault.words();
            }
            return "pad of " + padLength + " bytes behind a ULPDU of " + ulpduLength + ", should be "
                    + Framing.right(markers).padLength(ulpduLength) + (alone ? ": " + fault.words() : "");
        }
    }
}
