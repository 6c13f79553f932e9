package dev.jwarp.rdmap;

import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.ddp.UntaggedQueue;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.message.TerminateHeader;
import dev.jwarp.rdmap.message.TerminateMessage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Our Terminate: composed for the first error and sent once, before any other message (RFC 5040 §4.8, §5.4, §7.1). */
final class Termination {
    /** Allocated on first use, because most streams never send a Terminate. */
    private @Nullable ByteBuffer header;

    private int length;
    private boolean pending;

    private ByteBuffer header() {
        ByteBuffer made = header;
        if (made == null) {
            made = ByteBuffer.allocate(TerminateHeader.MAXIMUM_LENGTH);
            header = made;
        }
        return made;
    }

    /** Composes a Terminate for an error without a known message of the peer. */
    void compose(TerminateCode code) {
        length = TerminateHeader.write(header(), 0, code);
        pending = true;
    }

    /**
     * Composes a Terminate for an error in a received segment.
     *
     * @param ulpdu the buffer that {@code segment} was parsed from
     * @param readRequest the Read Request in the segment, or null
     */
    void compose(TerminateCode code, ByteBuffer ulpdu, DdpSegment segment, @Nullable RequestSlot readRequest) {
        // A segment with a truncated header cannot be quoted.
        if (!quotesDdpHeader(code) || segment.headerLength() == 0) {
            compose(code);
            return;
        }
        length = TerminateHeader.write(
                header(),
                0,
                code,
                ulpdu.slice(segment.headerOffset(), segment.headerLength()),
                segment.length(),
                readRequest == null || !quotesReadRequest(code) ? null : readRequest.octets);
        pending = true;
    }

    /** Composes a Terminate for a request that passed its checks on arrival but can no longer be answered. */
    void compose(TerminateCode code, RequestSlot request) {
        if (request.isRead()) {
            // RFC 5040 §4.8, RDMAP-4.8-4: the copied request of a Read under way describes the rest of the Read.
            ReadRequestHeader read = request.read;
            long sent = request.sent;
            read.sink(read.sinkSTag(), read.sinkOffset() + sent)
                    .source(read.sourceSTag(), read.sourceOffset() + sent)
                    .size(read.size() - sent);
        }
        ByteBuffer ddp = ByteBuffer.allocate(UntaggedHeader.LENGTH);
        RdmapOpcode opcode = request.opcode;
        // A request has no Invalidate STag and one segment, so the rest of its header is zero, as allocated.
        UntaggedHeader.write(ddp, 0, true, opcode.controlOctet(), opcode.queueNumber(), request.messageSequenceNumber);
        length = TerminateHeader.write(
                header(),
                0,
                code,
                ddp,
                UntaggedHeader.LENGTH + opcode.headerLength(),
                request.isRead() && quotesReadRequest(code) ? request.octets : null);
        pending = true;
    }

    /**
     * RFC 5040 §4.8, figure 10, RDMAP-4.8-3: remote errors of RDMAP and DDP quote the segment; local errors and errors
     * of MPA do not.
     */
    private static boolean quotesDdpHeader(TerminateCode code) {
        return code.layer() < 2 && code.errorType() != 0;
    }

    /**
     * RFC 5040 §4.8, figure 10: only remote protection errors of RDMAP quote the Read Request; RFC 7306 §8.1,
     * EXT-8.1-1: Atomics never do.
     */
    private static boolean quotesReadRequest(TerminateCode code) {
        return code.layer() == 0 && code.errorType() == 1;
    }

    /** {@return whether the Terminate is composed and not yet passed to the lower layer} */
    boolean pending() {
        return pending;
    }

    /** {@return the composed Terminate} */
    TerminateMessage message() {
        return TerminateHeader.read(header(), 0, length, TerminateMessage.Layout.RFC);
    }

    /** Writes the Terminate. */
    void poll(UlpduWriter out) {
        pending = false;
        // RFC 5040 §5.4, RDMAP-5.4-1: queue 2, the first and only message of this direction.
        int at = UlpduSegments.single(out, RdmapOpcode.TERMINATE, UntaggedQueue.FIRST_MSN, length);
        out.buffer().put(at, header(), 0, length);
        out.end();
    }
}
