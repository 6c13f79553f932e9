package dev.jwarp.conformance.wire;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rule of framing that a sender breaks, from the first bytes of its direction of a stream. The class reads
 * the bytes by the right rules and by each known wrong rule ({@link FramingFault}) at the same time. A reading makes
 * sense if each FPDU has a CRC that is right by that rule or, without CRCs, a plausible DDP header, and if Markers
 * point where they must.
 *
 * <p>A fault of one FPDU, such as a flipped bit, is no fault of framing: no reading explains it. A reading counts only
 * if it explains more bytes than an accident could. The caller passes every byte after the startup frame; less than 128
 * KiB are kept. Sans-IO; for one thread.
 */
public final class FramingDiagnosis {
    private static final int HEAD = 2 + 18;
    /** So many FPDUs that only one reading explains are enough, if no CRC proves the reading. */
    private static final int CHAIN = 2;
    /**
     * The same within a stream, where changed bytes of one FPDU may look like two FPDUs of another rule; and for CRCs
     * by no known rule.
     */
    private static final int LONG_CHAIN = 3;

    /** Limit of the remembered FPDUs of the right reading; further ones are read again. */
    private static final int MOST_KEPT = 256;

    /** After so many FPDUs that two rules explain equally, the first of these rules counts. */
    private static final int ENOUGH = 8;

    /** The state of the diagnosis. */
    public enum State {
        /** All FPDUs so far are framed by RFC 5044, as far as the bytes show. */
        RIGHT,
        /** The right reading fails, and more bytes are needed to find the reason. */
        UNDECIDED,
        /** One wrong rule explains the bytes; the right rules do not. */
        BROKEN,
        /** No reading explains the bytes: one FPDU has a fault, or everything has. */
        UNEXPLAINED
    }

    /**
     * The result so far.
     *
     * @param framing how to read the stream from its start; the right framing unless the state is {@link State#BROKEN}
     * @param requirement id of the broken requirement in the catalogue; while undecided that of the likeliest rule
     *     among those that may be
     *     broken; otherwise empty
     * @param what how the fault shows, in the requirement's own terms; or empty
     * @param sure whether enough bytes were seen to tell a fault of Markers from all others
     */
    public record Verdict(State state, Framing framing, String requirement, String what, boolean sure) {
        /** The broken rule. */
        public FramingFault fault() {
            return framing.fault();
        }
    }

    private final boolean markers;
    private final boolean crc;
    private final boolean agreed;
    private final List<Reading> readings = new ArrayList<>();
    private final Reading right;
    /** Start and end of FPDUs that make sense in the right reading. */
    private final Map<Long, Long> rightly = new HashMap<>();

    private final Window window;
    /** Difference between positions since full operation began and positions of the window. */
    private final long ahead;

    private long work;

    /**
     * A direction from the beginning of full operation.
     *
     * @param markers whether Markers were agreed on in this direction
     * @param crc whether CRCs are in use
     * @param startOctets the length of the sender's startup frame
     */
    public FramingDiagnosis(boolean markers, boolean crc, int startOctets) {
        this(markers, crc, startOctets, new Place(0, 0, 0, true, 0), EnumSet.allOf(FramingFault.class), new Window());
    }

    /**
     * A direction from the start of a later FPDU; all bytes before it are framed rightly.
     *
     * @param open the faults that the earlier FPDUs do not contradict ({@link Framing#agrees})
     * @param window holds the bytes from that FPDU on while this object is used; call {@link #go} after new bytes
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
     * The start of an FPDU.
     *
     * @param position bytes since full operation began
     * @param fpdus number of FPDUs before it
     * @param markers number of Markers before it
     * @param agreed whether the places of Markers are known, or that there are none
     * @param inWindow its position in the window
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

    /** Appends the next bytes of the stream, if no other object fills the window. */
    public void add(byte[] octets) {
        window.drop((int) (needed() - ahead - window.position()));
        window.add(octets, 0, octets.length);
        go();
    }

    /** Reads the new bytes in the window. */
    public void go() {
        long needed = needed();
        rightly.keySet().removeIf(start -> start < needed);
        readings.forEach(Reading::go);
    }

    /** The first position that a reading still needs. */
    private long needed() {
        long needed = end();
        for (Reading reading : readings) {
            needed = reading.dead ? needed : Math.min(needed, reading.position);
        }
        return needed;
    }

    /** {@return total size in bytes of the FPDUs that the readings have walked over} */
    public long work() {
        return work;
    }

    /**
     * The result so far.
     *
     * @param over whether no more bytes will come: the stream has ended where an FPDU should end, or its sender waits
     *     for an answer
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
        // If several rules explain the bytes equally, the next FPDUs decide between them.
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

    /** A reading of the bytes by one rule. */
    private final class Reading {
        private final Framing framing;
        private final FramingFault fault;
        /** Whether right CRC fields prove this reading. */
        private final boolean provesByCrc;

        private long position;
        private long count;
        /** Whether the reading has met bytes that make no sense by its rule. */
        private boolean dead;
        /** Whether the bytes of an unfinished FPDU do not look like an FPDU. */
        private boolean doubtful;
        /** Number of FPDUs that make sense by this rule but not by the right rules. */
        private int alone;

        /** Size of the pad of the first of these FPDUs, if any; {@code ulpduLength} is that of the ULPDU before it. */
        private int padLength = -1;

        private int ulpduLength;
        private @Nullable PriorSegment before;
        /** Bytes at the end of the previous segment that the offset of this segment does not count. */
        private int surplus;

        /** The unfinished FPDU does not end before this position. */
        private long wanted;

        /** Whether all these FPDUs have a right CRC; {@code crcsZero}: a CRC field of zeros after other bytes. */
        private boolean crcsRight = true;

        private boolean crcsZero = true;
        private boolean padsZero = true;
        /** Whether the headers, sizes and offsets of these FPDUs are right, too. */
        private boolean fitting = true;

        /** Whether there was a Marker within an FPDU. */
        private boolean marked;
        /** Whether a Marker within an FPDU is at the place that this rule demands and the right rules do not. */
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
            if (!fpdu.pointed() || (crc && !fpdu.crcGood())) {
                return false;
            }
            if (!agreed && fault.ofSize() && (fpdu.likeMarker() >= HEAD || !zero(fpdu.pad()))) {
                // The bytes that the right reading does not have may be Markers.
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

        /**
         * Whether sizes of messages and offsets of segments agree with the lengths: then the lengths are read as the
         * sender means them.
         */
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
                if (padLength < 0) {
                    padLength = fpdu.pad().length;
                    ulpduLength = fpdu.ulpdu().length;
                }
                weigh(fpdu);
            }
        }

        /**
         * Whether the right reading of this FPDU ends at the same place: it may have failed before for another reason.
         */
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

        /** Rank among readings that explain the same bytes: readings with right CRC fields and zero pads come first. */
        int weight() {
            return (fitting ? 8 : 0) + (crcsRight ? 4 : crcsZero ? 2 : 0) + (padsZero ? 1 : 0);
        }

        /** Checks the unfinished FPDU at the end of the bytes. */
        private void look() {
            byte[] head = framing.head(window.array(), here(), window.end(), count, HEAD);
            int size = head.length < 2 ? 0 : framing.ulpduLength((int) Octets.number(head, 0, 2));
            dead |= size < 0;
            doubtful = head.length == HEAD && !Plausibility.header(head, 2, head.length, size);
            wanted = head.length < HEAD ? 0 : position + framing.length(window.array(), here(), window.end(), count);
        }

        /** Whether further FPDUs would not tell this rule from others. */
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
                // All FPDUs after the first are framed rightly.
                return rightFails && marked;
            } else if (fault == FramingFault.MARKERS_ABSENT) {
                return rightFails && alone >= (exact ? 1 : LONG_CHAIN);
            }
            return alone >= (rightFails && exact ? 1 : LONG_CHAIN);
        }

        /** @param alone whether no other rule explains the bytes equally well */
        String what(boolean alone) {
            if (padLength < 0 || !fault.name().startsWith("PAD_")) {
                return fault.words();
            }
            return "pad of " + padLength + " bytes after a ULPDU of " + ulpduLength + ", should be "
                    + Framing.right(markers).padLength(ulpduLength) + (alone ? ": " + fault.words() : "");
        }
    }
}
