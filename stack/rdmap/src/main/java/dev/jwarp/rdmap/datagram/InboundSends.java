package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.rdmap.work.ReceiveOperation;
import org.jspecify.annotations.Nullable;

/** Check 17 of datagram-iWARP §5: a Send needs a posted receive. Owner thread only; allocates nothing. */
final class InboundSends {
    private final InboundSegment in;
    private final Records records;
    private final MessageEnds messages;
    private final ReceiveHead receives;
    private final RecordPool pool;

    InboundSends(EndpointCore core, InboundSegment in, Records records, MessageEnds messages, ReceiveHead receives) {
        this.in = in;
        this.records = records;
        this.messages = messages;
        this.receives = receives;
        pool = core.records;
    }

    /**
     * The first segment of a Send to arrive: the Send gets the next posted receive, regardless of its MSN (DG-4.6-2).
     */
    SegmentFate take() {
        ReceiveOperation receive = receives.peek();
        if (receive != null && in.shape.messageLength() > receive.capacity()) {
            // datagram-iWARP §5 (DG-5.2-9): too long for the receive at the head, which stays there.
            return in.refused(Refusal.RECV_TOO_SMALL);
        }
        return in.shape.count() == 1 ? single(receive) : several();
    }

    /**
     * datagram-iWARP §5: a Send without a receive is dropped silently (DG-5.2-8) and not remembered (DG-5.3-2). A Send
     * of 0 bytes takes a receive, too (DG-4.6-3).
     */
    private SegmentFate single(@Nullable ReceiveOperation receive) {
        if (receive == null) {
            return in.notReady(receives.missing());
        }
        receive.memory().place(in.shape.offset(), in.buffer(), in.payloadAt(), in.shape.payload());
        messages.enter(true, in.hash, in.now);
        SegmentFate fate = in.accepted();
        receives.take(); // only after placement, because a failed placement must leave the receive posted
        messages.sendReceived(receive, in);
        return fate;
    }

    private SegmentFate several() {
        boolean none = receives.peek() == null;
        if (none && (in.reliable || !records.sendsHoldTheirShare(in.known()))) {
            return in.notReady(receives.missing());
        }
        MessageRecord record = records.open(in, true);
        if (record == null) {
            return in.notReady(none ? receives.missing() : DatagramCounter.RECORD_FULL);
        }
        // Opening the record may have put back the receive of an older message, which is then the head.
        ReceiveOperation receive = receives.peek();
        if (receive == null || in.shape.messageLength() > receive.capacity()) {
            records.close(record);
            pool.give(record);
            return receive == null ? in.notReady(receives.missing()) : in.refused(Refusal.RECV_TOO_SMALL);
        }
        record.receive = receives.take();
        return records.place(record, in);
    }
}
