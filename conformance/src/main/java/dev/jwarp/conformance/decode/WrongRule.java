package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Plausibility;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * In the middle of a stream: looks whether FPDUs that are framed by a wrong rule begin where a TCP segment does. Senders put FPDUs at the start of
 * segments (RFC 5044 §5), so there is little to try; and what is believed must explain several FPDUs in a row.
 */
final class WrongRule {
    /** FPDUs, and FPDUs with which a segment begins, counted together. */
    private static final int ENOUGH = 5;

    private static final int LEAST = 3;

    private final StreamBuffer buffer;
    private final Effort effort;
    private final Suspect suspect;
    private FramingDiagnosis.@Nullable Verdict verdict;
    /** Stream position in front of which nothing was found. */
    private long refuted;

    WrongRule(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
        suspect = new Suspect(buffer, effort);
    }

    /**
     * Looks at the segments that begin in front of a byte.
     *
     * @param before counted from the first byte of the buffer
     * @param open the rules that may be broken
     * @param crc whether CRCs are in use
     * @param agreed whether it is known that there are no Markers
     * @return the byte from which on all must be kept: there more has to tell, or, if {@link #found} says so, FPDUs begin
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

    /** How they are framed, and what shows it; null if that is not known. */
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

    /** Whether what makes sense by this rule, up to the last whole FPDU, is too much for an accident. */
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
