package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.PriorSegment;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;
import java.util.List;

/** Rules for everything that a device sends, in whatever case. */
final class Judge {
    /** ULPDU_Length, an empty tagged segment, the CRC. */
    private static final int LEAST_FPDU = 2 + Segment.TAGGED + 4;

    private Judge() {}

    /** Throws a deviation unless a start-up frame is well formed and only FPDUs follow it. */
    static void wellFormed(StartFrame frame, String name, byte[] behind) {
        boolean enhanced = frame.has(StartFrame.ENHANCED);
        if (enhanced && !frame.has(StartFrame.REJECT) && frame.depths() == null) {
            throw Deviation.from(
                    Basics.WORD_PRESENT, "an IRD/ORD word in an " + name + " with S=1", Octets.hex(frame.bytes()));
        }
        if (behind.length > 0 && behind.length < LEAST_FPDU) {
            throw Deviation.from(
                    enhanced && behind.length == Depths.SIZE ? Basics.WORD_PRESENT : Basics.PRIVATE_DATA_LENGTH,
                    "nothing behind an " + name + " of " + frame.bytes().length + " bytes, as its PD_Length says",
                    behind.length + " bytes more: " + Octets.hex(behind));
        }
        if (frame.revision() < 1 || frame.revision() > 2) {
            throw Deviation.from(Basics.REVISION, "revision 1 or 2 in an " + name, "revision " + frame.revision());
        }
    }

    /**
     * Throws a deviation unless an FPDU is well formed: its CRC if CRCs are in use, its Markers, and its DDP header.
     */
    static void wellFormed(Fpdu fpdu, boolean crc, boolean marked) {
        if (crc && !fpdu.crcGood()) {
            String what = "an FPDU with a right CRC (RFC 5044 §4.4)";
            String came = "a wrong one: " + Octets.start(fpdu.octets());
            throw framing(marked, crcRule(fpdu), what, came);
        }
        for (Fpdu.Marker marker : fpdu.markers()) {
            int pointer = marker.pointer() & ~3;
            if (marker.expected() > Framer.INTERVAL && pointer <= Framer.INTERVAL && pointer > 0) {
                throw Deviation.from(
                        Basics.OWN_MARKER,
                        "a Marker at " + marker.position() + " that points at the start of its FPDU (RFC 5044 §4.3)",
                        "FPDUPTR " + marker.pointer());
            }
            if (pointer != marker.expected()) {
                throw Deviation.from(
                        Basics.MARKER_POINTER,
                        "a Marker at " + marker.position() + " with FPDUPTR " + marker.expected() + " (RFC 5044 §4.3)",
                        "FPDUPTR " + marker.pointer());
            }
        }
        if (!Segment.whole(fpdu.ulpdu())) {
            throw Deviation.from(
                    Basics.MESSAGES_ONLY,
                    "a ULPDU that holds a DDP header (RFC 5041 §4)",
                    "ULPDU " + Octets.start(fpdu.ulpdu()));
        }
    }

    /** Throws a deviation unless a segment continues the message of which so many bytes have come. */
    static void continued(Opcode opcode, Segment first, Segment before, Segment segment, long come) {
        long offset = opcode.tagged() ? segment.to() - first.to() : segment.mo();
        if (offset != come) {
            boolean counted = PriorSegment.of(before).surplus(segment) > 0;
            throw Deviation.from(
                    counted ? Basics.ULPDU_LENGTH : opcode.tagged() ? Basics.TO : Basics.MO,
                    "the next segment of the " + opcode.words() + " at offset " + come,
                    segment);
        }
        boolean same = opcode.tagged()
                ? segment.stag() == first.stag()
                : segment.msn() == first.msn() && segment.queue() == first.queue();
        if (!same) {
            throw Deviation.from(
                    opcode.tagged() ? Basics.SAME_TAGGED : Basics.SAME_UNTAGGED,
                    "the same STag, QN and MSN in all segments of a message",
                    segment);
        }
    }

    /**
     * {@return the deviation for FPDUs that break a rule} Faults of Markers resemble each other: with Markers the
     * requirement of the case is as likely as the named requirement.
     */
    static Deviation framing(boolean marked, String requirement, String what, String came) {
        return marked
                ? new Deviation(what, came).suspecting(List.of(requirement))
                : Deviation.from(requirement, what, came);
    }

    /** {@return the requirement that explains a wrong CRC} */
    private static String crcRule(Fpdu fpdu) {
        byte[] octets = fpdu.octets();
        int end = octets.length - 4;
        byte[] crc = Arrays.copyOfRange(octets, end, octets.length);
        byte[] right = Framer.crcOnTheWire(octets, 0, end);
        if (crc[0] == right[3] && crc[1] == right[2] && crc[2] == right[1] && crc[3] == right[0]) {
            return Basics.CRC_ORDER;
        }
        if (Arrays.equals(crc, Framer.crcOnTheWire(octets, 4, end - 4))) {
            return Basics.MARKER_BEFORE_LENGTH;
        }
        if (Arrays.equals(crc, Framer.crcOnTheWire(octets, 0, end - 4))) {
            return Basics.MARKER_BEHIND_PAD;
        }
        return Basics.CRC;
    }

    /** A Terminate with one of these causes, in the notation {@code 0xLTCC}, and in the expected order of bits. */
    static TerminateFields terminated(Segment segment, boolean swapped, int... causes) {
        Expectation what = new Expectation.Terminate(causes);
        TerminateFields terminated = !segment.is(Opcode.TERMINATE)
                ? null
                : swapped ? TerminateFields.parseSwapped(segment.payload()) : TerminateFields.parse(segment.payload());
        if (terminated == null) {
            throw new Deviation(what, segment);
        }
        if (terminated.swapped() != swapped) {
            throw Deviation.from(
                    Basics.TERMINATE_LAYOUT, what, terminated + ": bytes " + Octets.hex(segment.payload()));
        }
        if (Arrays.stream(causes).noneMatch(cause -> cause == terminated.cause())) {
            throw new Deviation(what, terminated + ": bytes " + Octets.hex(segment.payload()));
        }
        return terminated;
    }
}
