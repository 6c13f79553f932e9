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

    /** The breaches of requirements that the item shows; may be empty. */
    List<Finding> findings();

    /** The bytes on the wire; none for sums and notes. */
    default byte[] octets() {
        return new byte[0];
    }

    /** An MPA Request or Reply. */
    record Start(CapturePlace place, boolean request, StartFrame frame, byte[] octets, List<Finding> findings)
            implements Item {}

    /**
     * An FPDU.
     *
     * @param follows whether no byte is missing between this FPDU and the previous FPDU or startup frame of its side
     * @param segment null if the ULPDU is too short for a DDP header
     * @param terminated the content of a Terminate; otherwise null
     */
    record Framed(
            CapturePlace place,
            boolean follows,
            Fpdu fpdu,
            Crc crc,
            @Nullable Segment segment,
            @Nullable TerminateFields terminated,
            List<Finding> findings)
            implements Item {
        @Override
        public byte[] octets() {
            return fpdu.octets();
        }
    }

    /**
     * A datagram of datagram-iWARP.
     *
     * @param octets all bytes of the datagram, with its CRC
     * @param within the datagram in it; null if it is no envelope, or is encrypted with a key that is not known
     */
    record Datagram(
            CapturePlace place,
            byte[] octets,
            dev.jwarp.conformance.datagram.Datagram fields,
            dev.jwarp.conformance.datagram.@Nullable Datagram within,
            Crc crc,
            List<Finding> findings)
            implements Item {}

    /**
     * All segments of a message, summed up.
     *
     * @param place of the first byte of the first segment and the last byte of the last
     * @param first its first captured segment; offsets are those of the message
     * @param segments number of segments
     * @param length bytes of all payloads
     * @param whole whether all segments from the first to the last were captured
     * @param crc the worst state of all CRCs
     * @param terminated the content of a Terminate; otherwise null
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

    /** A note of the decoder about the capture, such as missing bytes or the place where decoding began. */
    record Note(CapturePlace place, String text, List<Finding> findings) implements Item {}
}
