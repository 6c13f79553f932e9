package dev.jwarp.rdmap;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.message.RdmapOpcode;

/** Writes the headers of outgoing segments into the lower layer's buffer. */
final class UlpduSegments {
    private UlpduSegments() {}

    /** Begins a tagged segment; its payload follows, then {@link UlpduWriter#end}. */
    static void tagged(UlpduWriter out, RdmapOpcode opcode, boolean last, int sTag, long taggedOffset, int payload) {
        int at = out.begin(TaggedHeader.LENGTH, payload);
        // DDP-4.2-1: STag and control octet are those of the operation, the same in every segment.
        TaggedHeader.write(out.buffer(), at, last, opcode.controlOctet(), sTag, taggedOffset);
    }

    /**
     * Begins an untagged segment; its payload follows, then {@link UlpduWriter#end}.
     *
     * @return index in {@code out.buffer()} of its header, of which the caller writes the rest: the Invalidate STag and
     *     the message offset
     */
    static int untagged(UlpduWriter out, RdmapOpcode opcode, boolean last, int messageSequenceNumber, int payload) {
        int at = out.begin(UntaggedHeader.LENGTH, payload);
        header(out, at, opcode, last, messageSequenceNumber);
        return at;
    }

    /**
     * Begins the only segment of a message without payload.
     *
     * @param rdmapHeaderLength bytes of RDMAP's own header
     * @return index in {@code out.buffer()} of that header, for the caller to fill
     */
    static int single(UlpduWriter out, RdmapOpcode opcode, int messageSequenceNumber, int rdmapHeaderLength) {
        int at = out.begin(UntaggedHeader.LENGTH + rdmapHeaderLength, 0);
        header(out, at, opcode, true, messageSequenceNumber);
        UntaggedHeader.writeRest(out.buffer(), at, 0, 0);
        return at + UntaggedHeader.LENGTH;
    }

    private static void header(UlpduWriter out, int at, RdmapOpcode opcode, boolean last, int messageSequenceNumber) {
        // DDP-4.3-3, RDMAP-4.1-1, RDMAP-5.3-2: the queue is the opcode's; MSN and Invalidate STag are the message's.
        UntaggedHeader.write(
                out.buffer(), at, last, opcode.controlOctet(), opcode.queueNumber(), messageSequenceNumber);
    }
}
