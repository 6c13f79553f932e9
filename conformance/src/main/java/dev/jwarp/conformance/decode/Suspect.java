package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingDiagnosis.Place;
import dev.jwarp.conformance.wire.FramingDiagnosis.Verdict;
import dev.jwarp.conformance.wire.FramingFault;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An FPDU that may show a wrong rule of framing; it is looked at as the stream goes on. A stream has one at a time. */
final class Suspect {
    /** What is known of the side that sends it. */
    record Side(boolean markers, boolean crc, int startOctets, Set<FramingFault> open) {}

    private final StreamBuffer buffer;
    private final Effort effort;
    private @Nullable FramingDiagnosis diagnosis;
    private long place;

    Suspect(StreamBuffer buffer, Effort effort) {
        this.buffer = buffer;
        this.effort = effort;
    }

    /** What can be said of the FPDU that begins at a place, of which all bytes from there on are in the buffer. */
    Verdict verdict(Side side, Place at, boolean end) {
        if (diagnosis == null || place != at.inWindow()) {
            place = at.inWindow();
            diagnosis = new FramingDiagnosis(side.markers, side.crc, side.startOctets, at, side.open, buffer.window());
        }
        long before = diagnosis.work();
        diagnosis.go();
        effort.spend(diagnosis.work() - before);
        return diagnosis.verdict(end);
    }

    /** True if it is the FPDU with which the buffer begins. */
    boolean isFirst() {
        return diagnosis != null && place == buffer.position();
    }

    /** It is not looked at any more. */
    void drop() {
        diagnosis = null;
    }
}
