package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Plausibility;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether the first bytes of a buffer are beyond doubt the FPDU as which they were read.
 *
 * @param count the sender's count of bytes at the first byte
 * @param crcUsed whether it is known that CRCs are in use
 */
record Certainty(StreamBuffer buffer, Framing framing, long count, boolean crcUsed) {
    /** Size of ULPDU_Length and the longest DDP header. */
    static final int HEADERS = 2 + 18;
    /** The same size, with a Marker before it. */
    static final int MARKED_HEADERS = 4 + HEADERS;
    /** Offset of the MSN in an untagged header. */
    private static final int MSN = 2 + 10;

    /** Whether an FPDU makes sense; null if the following bytes have to decide. */
    @Nullable
    Boolean isSound(Fpdu fpdu) {
        return isSound(fpdu, fpdu.octets().length);
    }

    private @Nullable Boolean isSound(Fpdu fpdu, int next) {
        if (!fpdu.pointed() || (crcUsed && !fpdu.crcGood())) {
            return false;
        }
        if (crcTells(fpdu)) {
            return true;
        }
        return Plausibility.ulpdu(fpdu.ulpdu()) ? beginsFpdu(next) : Boolean.FALSE;
    }

    private static boolean crcTells(Fpdu fpdu) {
        return fpdu.crcGood() && Octets.number(fpdu.octets(), fpdu.octets().length - 4, 4) != 0;
    }

    /** True if this is an FPDU, whatever its header says: its CRC is right, or another FPDU follows it. */
    boolean isFpduButForHeader(Fpdu fpdu) {
        return crcTells(fpdu)
                || (!crcUsed && Segment.whole(fpdu.ulpdu()) && !Boolean.FALSE.equals(beginsFpdu(fpdu.octets().length)));
    }

    /** Whether an FPDU begins after so many bytes; null if more bytes are needed. */
    private @Nullable Boolean beginsFpdu(int next) {
        if (next == buffer.available() || buffer.beginsFrame(next)) {
            return true;
        }
        byte[] head = framing.head(buffer.array(), buffer.start() + next, buffer.end(), count + next, HEADERS);
        return head.length < HEADERS ? null : isPlausible(head);
    }

    private boolean isPlausible(byte[] head) {
        return Plausibility.header(head, 2, head.length, framing.ulpduLength((int) Octets.number(head, 0, 2)));
    }

    /**
     * True if a plausible header follows at this byte, with or without a Marker before it: a side's first FPDU may
     * begin here.
     */
    boolean isFirstLikely(int at) {
        int start = buffer.start() + at;
        return Plausibility.header(buffer.array(), start + 2, buffer.end(), 0xFFFF)
                || Plausibility.header(buffer.array(), start + 6, buffer.end(), 0xFFFF);
    }

    /** True if the beginning of an unfinished FPDU looks like one, or is too short to judge. */
    boolean isHeaderLikely() {
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, HEADERS);
        return head.length < HEADERS || isPlausible(head);
    }

    /** True if an FPDU with missing bytes would be reported with the right header. */
    boolean isHeaderCertain() {
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, HEADERS);
        int start = buffer.start();
        // The header must be the same with and without Markers.
        return head.length == HEADERS
                && isPlausible(head)
                && Arrays.equals(head, 0, HEADERS, buffer.array(), start, start + HEADERS);
    }

    /** Whether the next FPDU makes sense; null if it is not complete. */
    @Nullable
    Boolean isFollowedBySound(Fpdu fpdu) {
        int length = fpdu.octets().length;
        long next = framing.countAfter(count, fpdu);
        Fpdu following = buffer.read(framing, length, next, next);
        return following == null
                ? Boolean.FALSE.equals(beginsFpdu(length)) ? false : null
                : isSound(following, length + following.octets().length);
    }

    /**
     * Why an FPDU in the middle of a stream is not beyond doubt; empty if it is, null if the following bytes have
     * to decide.
     *
     * @param agreed whether the two sides agreed on Markers; null if that is not known
     * @param end whether no more bytes will come
     */
    @Nullable
    String doubt(Fpdu fpdu, @Nullable Boolean agreed, boolean end) {
        boolean tells = crcTells(fpdu) && !framing.fault().provesNothing();
        boolean sensible = Plausibility.ulpdu(fpdu.ulpdu());
        boolean padded = Octets.number(fpdu.pad(), 0, fpdu.pad().length) != 0;
        if (!fpdu.pointed()) {
            return "a Marker does not point at the start of its FPDU";
        }
        if (tells && agreed != null) {
            return "";
        }
        boolean unmarked = Boolean.FALSE.equals(agreed);
        if (sensible ? !unmarked && mayHoldMarker(fpdu) : !tells || fpdu.likeMarker() >= 0) {
            return "there is no DDP header where one should be";
        }
        if (padded && (!tells || fpdu.likeMarker() >= 0)) {
            return "the pad is not zero";
        }
        if (tells) {
            return padded ? answer(isFollowedBySound(fpdu), "the pad is not zero, and no FPDU follows it") : "";
        }
        int length = fpdu.octets().length;
        boolean wrong = crcUsed && !framing.fault().provesNothing();
        Boolean next = wrong ? isFollowedBySound(fpdu) : beginsFpdu(length);
        if (next == null && end) {
            next = !wrong || length == buffer.available();
        }
        return answer(next, "no FPDU begins where the previous one ends");
    }

    /** True if only its place indicates that this is an FPDU. */
    boolean makesNoSense(Fpdu fpdu) {
        return !crcUsed
                && !crcTells(fpdu)
                && !(fpdu.pointed() && Plausibility.ulpdu(fpdu.ulpdu()))
                && Boolean.FALSE.equals(isFollowedBySound(fpdu));
    }

    private static @Nullable String answer(@Nullable Boolean followed, String doubt) {
        return followed == null ? null : followed ? "" : doubt;
    }

    /** True if a word of the header may be a Marker. */
    private static boolean mayHoldMarker(Fpdu fpdu) {
        int at = fpdu.likeMarker();
        return at >= 0
                && at < HEADERS
                && (at != MSN || fpdu.segment().tagged() || fpdu.segment().mo() != 0);
    }
}
