package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Plausibility;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Whether the bytes with which a buffer begins are beyond doubt the FPDU as which they were read.
 *
 * @param count the sender's count of bytes at the first one
 * @param crcUsed whether it is known that CRCs are in use
 */
record Certainty(StreamBuffer buffer, Framing framing, long count, boolean crcUsed) {
    /** ULPDU_Length, and the longest DDP header. */
    static final int HEADERS = 2 + 18;
    /** The same behind a Marker. */
    static final int MARKED_HEADERS = 4 + HEADERS;
    /** Where an untagged header has its MSN. */
    private static final int MSN = 2 + 10;

    /** Whether an FPDU makes sense; null if what follows has to tell. */
    @Nullable
    Boolean isSound(Fpdu fpdu) {
        return isSound(fpdu, fpdu.octets().length);
    }

    private @Nullable Boolean isSound(Fpdu fpdu, int next) {
        if (!pointed(fpdu) || (crcUsed && !fpdu.crcGood())) {
            return false;
        }
        if (crcTells(fpdu)) {
            return true;
        }
        return Plausibility.ulpdu(fpdu.ulpdu()) ? beginsFpdu(next) : Boolean.FALSE;
    }

    private static boolean pointed(Fpdu fpdu) {
        return fpdu.markers().stream().allMatch(m -> m.reserved() == 0 && m.points());
    }

    private static boolean crcTells(Fpdu fpdu) {
        return fpdu.crcGood() && Octets.number(fpdu.octets(), fpdu.octets().length - 4, 4) != 0;
    }

    /** True if this is an FPDU, whatever its header says: its CRC is right, or others follow where it ends. */
    boolean isFpduButForHeader(Fpdu fpdu) {
        return crcTells(fpdu)
                || (!crcUsed && Segment.whole(fpdu.ulpdu()) && !Boolean.FALSE.equals(beginsFpdu(fpdu.octets().length)));
    }

    /** Whether an FPDU begins behind so many bytes; null if more of them have to tell. */
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

    /** True if with this byte the first FPDU of a side may begin, by its header, behind a Marker or not; of what length is open. */
    boolean isFirstLikely(int at) {
        int start = buffer.start() + at;
        return Plausibility.header(buffer.array(), start + 2, buffer.end(), 0xFFFF)
                || Plausibility.header(buffer.array(), start + 6, buffer.end(), 0xFFFF);
    }

    /** True if what waits for the rest of an FPDU looks like one, or is too little to tell. */
    boolean isHeaderLikely() {
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, HEADERS);
        return head.length < HEADERS || isPlausible(head);
    }

    /** True if an FPDU of which bytes are missing would be shown as what it is. */
    boolean isHeaderCertain() {
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, HEADERS);
        int start = buffer.start();
        // Where a Marker would be in it, it must not depend on where Markers are.
        return head.length == HEADERS
                && isPlausible(head)
                && Arrays.equals(head, 0, HEADERS, buffer.array(), start, start + HEADERS);
    }

    /** Whether what follows the FPDU is one that makes sense; null if that is not there to its end. */
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
     * What keeps an FPDU that was found in the middle of a stream from being beyond doubt; empty if nothing does, null if what follows has to
     * tell.
     *
     * @param agreed whether the two sides agreed on Markers; null if that is not known
     * @param end no more bytes will come
     */
    @Nullable
    String doubt(Fpdu fpdu, @Nullable Boolean agreed, boolean end) {
        boolean tells = crcTells(fpdu) && !framing.fault().provesNothing();
        boolean sensible = Plausibility.ulpdu(fpdu.ulpdu());
        boolean padded = Octets.number(fpdu.pad(), 0, fpdu.pad().length) != 0;
        if (!pointed(fpdu)) {
            return "a Marker does not tell where the FPDU around it begins";
        }
        if (tells && agreed != null) {
            return "";
        }
        boolean unmarked = Boolean.FALSE.equals(agreed);
        if (sensible ? !unmarked && mayHoldMarker(fpdu) : !tells || fpdu.likeMarker() >= 0) {
            return "no DDP header is where one should be";
        }
        if (padded && (!tells || fpdu.likeMarker() >= 0)) {
            return "what should be the pad is not zero";
        }
        if (tells) {
            return padded
                    ? answer(isFollowedBySound(fpdu), "no FPDU follows what should be a pad, and is not zero")
                    : "";
        }
        int length = fpdu.octets().length;
        boolean wrong = crcUsed && !framing.fault().provesNothing();
        Boolean next = wrong ? isFollowedBySound(fpdu) : beginsFpdu(length);
        if (next == null && end) {
            next = !wrong || length == buffer.available();
        }
        return answer(next, "no FPDU begins where the one before it ends");
    }

    /** True if nothing says that this is an FPDU but where it stands. */
    boolean makesNoSense(Fpdu fpdu) {
        return !crcUsed
                && !crcTells(fpdu)
                && !(pointed(fpdu) && Plausibility.ulpdu(fpdu.ulpdu()))
                && Boolean.FALSE.equals(isFollowedBySound(fpdu));
    }

    private static @Nullable String answer(@Nullable Boolean followed, String doubt) {
        return followed == null ? null : followed ? "" : doubt;
    }

    /** True if a word of the header may be a Marker as well. */
    private static boolean mayHoldMarker(Fpdu fpdu) {
        int at = fpdu.likeMarker();
        return at >= 0
                && at < HEADERS
                && (at != MSN || fpdu.segment().tagged() || fpdu.segment().mo() != 0);
    }
}
