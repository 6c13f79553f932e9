package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One item of the output. */
public sealed interface Item {
    CapturePlace place();

    /** The findings about the item; empty if nothing is wrong. */
    List<Finding> findings();

    /** An MPA Request or Reply. */
    record Start(CapturePlace place, boolean request, StartFrame frame, byte[] octets, List<Finding> findings)
            implements Item {}

    /**
     * An FPDU.
     *
     * @param follows whether nothing was missed between it and what this side sent before: an FPDU, or the startup frame
     * @param segment null if it is too short for a DDP header
     * @param terminated what a Terminate says; else null
     */
    record Framed(
            CapturePlace place,
            boolean follows,
            Fpdu fpdu,
            Crc crc,
            @Nullable Segment segment,
            @Nullable TerminateFields terminated,
            List<Finding> findings)
            implements Item {}

    /**
     * A datagram of datagram-iWARP.
     *
     * @param octets all of it, with its CRC
     */
    record Datagram(
            CapturePlace place,
            byte[] octets,
            dev.jwarp.conformance.datagram.Datagram fields,
            Crc crc,
            List<Finding> findings)
            implements Item {}

    /**
     * All segments of a message, summed up.
     *
     * @param place of the first byte of the first segment and the last byte of the last
     * @param first its first segment that was seen; offsets are those of the message
     * @param segments how many there were
     * @param length bytes of all payloads
     * @param whole whether first and last segment were seen, and nothing between was missed
     * @param crc the worst of all
     * @param terminated what a Terminate says; else null
     */
    record Message(
            CapturePlace place,
            Segment first,
            int segments,
            long length,
            boolean whole,
            Crc crc,
            @Nullable TerminateFields terminated,
            List<Finding> findings)
            implements Item {}

    /** A remark of the decoder about the capture: bytes missed, where decoding began. */
    record Note(CapturePlace place, String text, List<Finding> findings) implements Item {}
}
