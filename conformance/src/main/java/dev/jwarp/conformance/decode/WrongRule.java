package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Plausibility;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Searches the middle of a stream for FPDUs that are framed by a wrong rule. They must begin where a TCP segment
 * begins, as senders put FPDUs at the start of segments (RFC 5044 §5); this limits the search. A rule counts only if it
 * explains several FPDUs in a row.
 */
final class WrongRule {
    /** Enough evidence: number of FPDUs plus number of those that begin a segment. */
    private static final int ENOUGH = 5;

    private static final int LEAST = 3;

    private final StreamBuffer buffer;
    private final Effort effort;
    private final Suspect suspect;
    private FramingDiagnosis.@Nullable Verdict verdict;
    /** No such FPDU begins before this stream position. */
    private long refuted;

    WrongRule(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
        suspect = new Suspect(buffer, effort);
    }

    /**
     * Examines the segments that begin before a byte.
     *
     * @param before index of that byte in the buffer
     * @param open the rules that may be broken
     * @param crc whether CRCs are in use
     * @param agreed whether it is known that there are no Markers
     * @return index of the first byte to keep: there more bytes are needed or, if {@link #found} is set, FPDUs begin
     */
    int look(int before, Set<FramingFault> open, boolean crc, boolean agreed, boolean end) {
        int from = (int) Math.max(0, refuted - buffer.position());
        for (int at = buffer.nextFrame(from); at < before; at = buffer.nextFrame(at + 1)) {
            if (Plausibility.header(buffer.array(), buffer.start() + at + 2, buffer.end(), 0xFFFF)
                    && effort.isLeft()
                    && !isRefuted(at, open, crc, agreed, end)) {
                return at;
            }
            refuted = buffer.position() + at + 1;
            suspect.drop();
        }
        return before;
    }

    /** The found framing and its evidence; null if there is none. */
    FramingDiagnosis.@Nullable Verdict found() {
        return verdict;
    }

    private boolean isRefuted(int at, Set<FramingFault> open, boolean crc, boolean agreed, boolean end) {
        EnumSet<FramingFault> sizes = EnumSet.noneOf(FramingFault.class);
        open.stream().filter(FramingFault::ofSize).forEach(sizes::add);
        FramingDiagnosis.Verdict answer = suspect.verdict(
                new Suspect.Side(false, crc, 0, sizes),
                new FramingDiagnosis.Place(0, 0, 0, agreed, buffer.position() + at),
                end);
        if (answer.state() == FramingDiagnosis.State.BROKEN && isEnough(at, answer.framing())) {
            verdict = answer;
            return false;
        }
        return end
                || answer.state() == FramingDiagnosis.State.RIGHT
                || answer.state() == FramingDiagnosis.State.UNEXPLAINED
                || buffer.available() - at > RuleSearch.MOST_HELD;
    }

    /** Whether the FPDUs that make sense by this rule are too many for an accident. */
    private boolean isEnough(int at, Framing framing) {
        int fpdus = 0;
        int starts = 0;
        int next = at;
        int length = lengthAt(next, framing);
        while (length > 0 && next + length <= buffer.available() && fpdus + starts < 2 * ENOUGH) {
            fpdus++;
            starts += buffer.beginsFrame(next) ? 1 : 0;
            next += length;
            length = lengthAt(next, framing);
        }
        return fpdus >= LEAST && fpdus + starts >= ENOUGH;
    }

    private int lengthAt(int at, Framing framing) {
        return framing.length(buffer.array(), buffer.start() + at, buffer.end(), 0);
    }
}
