package dev.jwarp.rdmap;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.message.RdmapOpcode;

/** Writes the headers of outgoing segments into the lower layer's buffer. Reused; owner thread only. */
final class UlpduSegments {
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();

    /** Begins a tagged segment; its payload follows, then {@link UlpduWriter#end}. */
    void tagged(UlpduWriter out, RdmapOpcode opcode, boolean last, int sTag, long taggedOffset, int payloadLength) {
        int at = out.begin(TaggedHeader.LENGTH, payloadLength);
        tagged.wrap(out.buffer(), at, TaggedHeader.LENGTH);
        // DDP-4.2-1: STag and control octet are those of the operation, the same in every segment.
        tagged.control(last).ulpControl(opcode.controlOctet()).stag(sTag).taggedOffset(taggedOffset);
    }

    /**
     * Begins an untagged segment; its payload follows, then {@link UlpduWriter#end}.
     *
     * @return its header, into which the caller writes the Invalidate STag and the message offset
     */
    UntaggedHeader untagged(
            UlpduWriter out, RdmapOpcode opcode, boolean last, int messageSequenceNumber, int payloadLength) {
        int at = out.begin(UntaggedHeader.LENGTH, payloadLength);
        return header(out, at, opcode, last, messageSequenceNumber);
    }

    /**
     * Begins the only segment of a message without payload.
     *
     * @param rdmapHeaderLength bytes of RDMAP's own header
     * @return index in {@code out.buffer()} of that header, for the caller to fill
     */
    int single(UlpduWriter out, RdmapOpcode opcode, int messageSequenceNumber, int rdmapHeaderLength) {
        int at = out.begin(UntaggedHeader.LENGTH + rdmapHeaderLength, 0);
        header(out, at, opcode, true, messageSequenceNumber).ulpWord(0).messageOffset(0);
        return at + UntaggedHeader.LENGTH;
    }

    private UntaggedHeader header(
            UlpduWriter out, int at, RdmapOpcode opcode, boolean last, int messageSequenceNumber) {
        untagged.wrap(out.buffer(), at, UntaggedHeader.LENGTH);
        // DDP-4.3-3, RDMAP-4.1-1, RDMAP-5.3-2: the queue is the opcode's; MSN and Invalidate STag are the message's.
        return untagged.control(last)
                .ulpControl(opcode.controlOctet())
                .queueNumber(opcode.queueNumber())
                .messageSequenceNumber(messageSequenceNumber);
    }
}
