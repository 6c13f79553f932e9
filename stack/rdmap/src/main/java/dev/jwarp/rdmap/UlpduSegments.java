package dev.jwarp.rdmap;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.ddp.llp.UlpduWriter;

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
     * Begins an untagged segment.
     *
     * @param rdmapHeaderLength octets of RDMAP's own header, which count as header, not as payload
     * @return index in {@code out.buffer()} of that header, for the caller to fill
     */
    int untagged(
            UlpduWriter out,
            RdmapOpcode opcode,
            boolean last,
            int invalidateSTag,
            int messageSequenceNumber,
            long messageOffset,
            int rdmapHeaderLength,
            int payloadLength) {
        int at = out.begin(UntaggedHeader.LENGTH + rdmapHeaderLength, payloadLength);
        untagged.wrap(out.buffer(), at, UntaggedHeader.LENGTH);
        // DDP-4.3-3, RDMAP-4.1-1, RDMAP-5.3-2: the queue is the opcode's; MSN and Invalidate STag are the message's.
        untagged.control(last)
                .ulpControl(opcode.controlOctet())
                .ulpWord(invalidateSTag)
                .queueNumber(opcode.queueNumber())
                .messageSequenceNumber(messageSequenceNumber)
                .messageOffset(messageOffset);
        return at + UntaggedHeader.LENGTH;
    }
}
