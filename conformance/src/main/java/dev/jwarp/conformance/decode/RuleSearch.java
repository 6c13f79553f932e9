package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingDiagnosis.Place;
import dev.jwarp.conformance.wire.FramingDiagnosis.Verdict;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Plausibility;
import dev.jwarp.conformance.wire.PriorSegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks whether FPDUs show that their sender breaks a rule of framing. */
final class RuleSearch {
    /** Limit of the held bytes during a search: the longest FPDU and some more. */
    static final int MOST_HELD = 160 << 10;

    enum Next {
        /** More bytes are needed. */
        WAIT,
        /** A rule is broken: {@link #found} names it. */
        BROKEN,
        /** The FPDU is accepted as it was read. */
        GO
    }

    private final StreamBuffer buffer;
    private final Effort effort;
    private final Suspect suspect;
    /** Rules of framing whose breach the FPDUs so far would not have shown. */
    private final EnumSet<FramingFault> open = EnumSet.allOf(FramingFault.class);

    private @Nullable Verdict found;
    /** Whether no rule explains the first FPDU of the buffer: the fault is in this FPDU only. */
    private boolean unexplained;
    /** Stream position of an FPDU that is followed by bytes that make no sense; -1 if there is none. */
    private long notFollowed = -1;

    private @Nullable PriorSegment before;
    /** Whether bytes of that segment are missing from the capture. */
    private boolean beforeCut;

    RuleSearch(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
        suspect = new Suspect(buffer, effort);
    }

    Set<FramingFault> open() {
        return open;
    }

    /** The rule that was last found to be broken. */
    @Nullable
    Verdict found() {
        return found;
    }

    /** True if the first FPDU of the buffer waits for the bytes after it. */
    boolean waits() {
        return suspect.isFirst();
    }

    /** Whether no rule explains the first FPDU of the buffer. */
    boolean isUnexplained() {
        return unexplained;
    }

    /** Ends the search at the FPDU that waits. */
    void drop() {
        suspect.drop();
    }

    /** The stream continues at another place, where the places of Markers, or the agreement on them, are not known. */
    void restart() {
        open.removeIf(FramingFault::ofMarkers);
        before = null;
        unexplained = false;
        suspect.drop();
    }

    /** The stream has no more items. */
    void end() {
        before = null;
        suspect.drop();
    }

    /**
     * Examines the FPDU at the start of the buffer.
     *
     * @param fpdu the FPDU by the right rules; null if it does not end
     * @param certainty judges the start of the buffer
     */
    Next look(@Nullable Fpdu fpdu, Suspect.Side side, Place place, Certainty certainty, boolean end) {
        if (fpdu != null && Boolean.TRUE.equals(certainty.isSound(fpdu))) {
            open.removeIf(fault -> !isLeftOpen(fault, fpdu, side, place));
            suspect.drop();
            return Next.GO;
        }
        if (fpdu == null && place.fpdus() > 0 && !end && certainty.isHeaderLikely()) {
            return Next.WAIT;
        }
        if (buffer.available() > MOST_HELD || !effort.isLeft()) {
            return unexplained();
        }
        Verdict verdict = suspect.verdict(side, place, end);
        return switch (verdict.state()) {
            case BROKEN -> {
                found = verdict;
                suspect.drop();
                yield Next.BROKEN;
            }
            case UNEXPLAINED -> unexplained();
            case RIGHT, UNDECIDED ->
                fpdu != null && verdict.requirement().isEmpty() && (end || isFollowedBySound(fpdu, certainty))
                        ? unexplained()
                        : Next.WAIT;
        };
    }

    private static boolean isLeftOpen(FramingFault fault, Fpdu sound, Suspect.Side side, Place place) {
        // The FPDU may make sense without a right CRC.
        if (fault.ofCrc() && !fault.lacksCrc() && !sound.crcGood()) {
            return true;
        }
        Framing other = new Framing(side.markers(), fault, side.startOctets());
        return other.agrees(sound, other.countAt(place.position(), place.fpdus(), place.markers()));
    }

    private boolean isFollowedBySound(Fpdu fpdu, Certainty certainty) {
        if (notFollowed == buffer.position()) {
            return false;
        }
        Boolean sound = certainty.isFollowedBySound(fpdu);
        notFollowed = Boolean.FALSE.equals(sound) ? buffer.position() : -1;
        return Boolean.TRUE.equals(sound);
    }

    private Next unexplained() {
        unexplained = true;
        suspect.drop();
        return Next.GO;
    }

    /** What the offset of a segment shows about the length of the previous segment. */
    enum Surplus {
        NONE(FramingFault.NONE),
        /** The previous segment may have been too long, but its last bytes are missing from the capture. */
        UNCLEAR(FramingFault.NONE),
        PAD(FramingFault.LENGTH_COUNTS_PAD),
        ITSELF(FramingFault.LENGTH_COUNTS_ITSELF);

        final FramingFault fault;

        Surplus(FramingFault fault) {
            this.fault = fault;
        }
    }

    /**
     * Accepts the FPDU at the start of the buffer, as read by the right rules. If a length counts bytes after the
     * ULPDU, every reading may make sense, and only offsets within a message show the fault.
     *
     * @param right whether no rule is known to be broken
     * @param cut whether bytes of the FPDU are missing from the capture
     */
    Surplus surplus(Fpdu fpdu, boolean right, boolean cut) {
        unexplained = false;
        boolean sensible = Plausibility.ulpdu(fpdu.ulpdu());
        int surplus = !sensible || before == null || !right ? 0 : before.surplus(fpdu.segment());
        boolean itself = surplus == 2 && !open.contains(FramingFault.LENGTH_COUNTS_PAD);
        Surplus shown = surplus == 0
                        || !open.contains(itself ? FramingFault.LENGTH_COUNTS_ITSELF : FramingFault.LENGTH_COUNTS_PAD)
                ? Surplus.NONE
                : beforeCut ? Surplus.UNCLEAR : itself ? Surplus.ITSELF : Surplus.PAD;
        if (shown == Surplus.NONE || shown == Surplus.UNCLEAR) {
            before = sensible ? PriorSegment.of(fpdu.segment()) : null;
            beforeCut = cut;
        }
        return shown;
    }
}
