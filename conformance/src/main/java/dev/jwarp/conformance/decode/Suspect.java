package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingDiagnosis.Place;
import dev.jwarp.conformance.wire.FramingDiagnosis.Verdict;
import dev.jwarp.conformance.wire.FramingFault;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An FPDU that may show a breach of a rule of framing; it is examined again as the stream goes on. A stream has at most
 * one.
 */
final class Suspect {
    /** Known facts about the sender. */
    record Side(boolean markers, boolean crc, int startOctets, Set<FramingFault> open) {}

    private final StreamBuffer buffer;
    private final Effort effort;
    private @Nullable FramingDiagnosis diagnosis;
    private long place;

    Suspect(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
    }

    /** The result so far for the FPDU at a place; the buffer has all bytes from there on. */
    Verdict verdict(Side side, Place at, boolean end) {
        if (diagnosis == null || place != at.inWindow()) {
            place = at.inWindow();
            diagnosis = new FramingDiagnosis(side.markers, side.crc, side.startOctets, at, side.open, buffer);
        }
        long before = diagnosis.work();
        diagnosis.go();
        effort.spend(diagnosis.work() - before);
        return diagnosis.verdict(end);
    }

    /** True if this is the FPDU at the start of the buffer. */
    boolean isFirst() {
        return diagnosis != null && place == buffer.position();
    }

    /** Ends the examination. */
    void drop() {
        diagnosis = null;
    }
}
