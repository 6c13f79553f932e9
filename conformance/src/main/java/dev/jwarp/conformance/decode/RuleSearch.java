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

/** Tells whether FPDUs that are read rightly show a rule of framing that their sender breaks. */
final class RuleSearch {
    /** What is held to find out how a side frames: the longest FPDU and some more. */
    static final int MOST_HELD = 160 << 10;

    enum Next {
        /** More bytes have to tell. */
        WAIT,
        /** A rule is broken: {@link #found} says which. */
        BROKEN,
        /** The FPDU is taken as it is. */
        GO
    }

    private final StreamBuffer buffer;
    private final Effort effort;
    private final Suspect suspect;
    /** Rules of framing that the FPDUs so far would not have shown to be broken. */
    private final EnumSet<FramingFault> open = EnumSet.allOf(FramingFault.class);

    private @Nullable Verdict found;
    /** No rule explains what stands here: it is one FPDU that is wrong. */
    private boolean unexplained;
    /** What follows the FPDU at this stream position is none that makes sense. */
    private long notFollowed = -1;

    private @Nullable PriorSegment before;
    /** Not all of it was captured. */
    private boolean beforeCut;

    RuleSearch(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
        suspect = new Suspect(buffer, effort);
    }

    Set<FramingFault> open() {
        return open;
    }

    /** The last rule that was found to be broken. */
    @Nullable
    Verdict found() {
        return found;
    }

    /** True if the FPDU with which the buffer begins waits for what follows. */
    boolean waits() {
        return suspect.isFirst();
    }

    /** No rule explains the FPDU with which the buffer begins. */
    boolean isUnexplained() {
        return unexplained;
    }

    /** The FPDU that waits is not looked at any more. */
    void drop() {
        suspect.drop();
    }

    /** An FPDU was taken as it is. */
    void taken() {
        unexplained = false;
    }

    /** The stream is taken up at another place, where it is not known where Markers should be, or whether they were agreed on. */
    void restart() {
        open.removeIf(FramingFault::ofMarkers);
        before = null;
        unexplained = false;
        suspect.drop();
    }

    /** Nothing more of the stream is of interest. */
    void end() {
        before = null;
        suspect.drop();
    }

    /**
     * Looks at the FPDU with which the buffer begins.
     *
     * @param fpdu as it is read rightly; null if it does not end
     * @param certainty of what the buffer begins with
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
        // It may be sound without its CRC.
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

    /** What the offset of a segment says of the length of the one before. */
    enum Surplus {
        NONE,
        /** The one before was perhaps longer than it is meant to be: what its last bytes were cannot be seen. */
        UNCLEAR,
        PAD,
        ITSELF
    }

    /**
     * Takes the FPDU with which the buffer begins, and is read rightly. Where a length counts what lies behind the ULPDU, every reading may fit, and
     * only offsets within a message show it.
     *
     * @param right whether no rule is known to be broken
     * @param cut whether not all of it was captured
     */
    Surplus surplus(Fpdu fpdu, boolean right, boolean cut) {
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
