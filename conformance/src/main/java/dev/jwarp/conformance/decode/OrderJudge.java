package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.PriorSegment;
import dev.jwarp.conformance.wire.Segment;
import org.jspecify.annotations.Nullable;

/** Compares a segment with the earlier segments of its direction: MSN, MO, STag, TO. */
final class OrderJudge {
    private static final int QUEUES = 4;
    private static final long MASK = 0xFFFF_FFFFL;

    /** The next MSN of each queue; -1 if it is not known. */
    private final long[] next = {1, 1, 1, 1};
    /** The last segment of the unfinished untagged message of each queue. */
    private final @Nullable PriorSegment[] untagged = new PriorSegment[QUEUES];

    private @Nullable PriorSegment tagged;
    private boolean certain = true;
    private boolean terminated;

    /** Bytes are missing: the next segment is not compared with earlier ones. */
    void lost() {
        for (int i = 0; i < QUEUES; i++) {
            next[i] = -1;
            untagged[i] = null;
        }
        tagged = null;
        certain = false;
    }

    void judge(Segment segment, Breaches breaches) {
        if (terminated) {
            breaches.add("RDMAP-5.4-2", "a segment after a Terminate of the same side");
        }
        if (segment.tagged()) {
            tagged(segment, breaches);
        } else if (segment.queue() >= 0 && segment.queue() < QUEUES) {
            untagged(segment, (int) segment.queue(), breaches);
        }
        terminated |= segment.is(Opcode.TERMINATE);
    }

    private void tagged(Segment segment, Breaches breaches) {
        PriorSegment before = tagged;
        if (before != null) {
            if (segment.opcodeNumber() != before.header().opcodeNumber()
                    || segment.stag() != before.header().stag()) {
                breaches.add(
                        "DDP-4.2-1",
                        "STag or opcode differ from those of the segment before, 0x%08X and %d, whose message has not ended",
                        before.header().stag(),
                        before.header().opcodeNumber());
            } else if (segment.to() != before.header().to() + before.length()) {
                breaches.add(
                        "DDP-5.2-2",
                        "TO is 0x%X; 0x%X comes next in the message",
                        segment.to(),
                        before.header().to() + before.length());
            }
        }
        tagged = segment.last() ? null : PriorSegment.of(segment);
    }

    private void untagged(Segment segment, int queue, Breaches breaches) {
        PriorSegment before = untagged[queue];
        if (before != null) {
            continued(segment, before, breaches);
        } else {
            begun(segment, queue, breaches);
        }
        untagged[queue] = segment.last() ? null : PriorSegment.of(segment);
        if (segment.last()) {
            next[queue] = (segment.msn() + 1) & MASK;
        }
    }

    private static void continued(Segment segment, PriorSegment before, Breaches breaches) {
        long mo = (before.header().mo() + before.length()) & MASK;
        if (segment.msn() != before.header().msn()
                || segment.opcodeNumber() != before.header().opcodeNumber()
                || segment.invalidate() != before.header().invalidate()) {
            breaches.add(
                    "DDP-4.3-3",
                    "MSN, opcode or Invalidate STag differ from those of the segment before, whose message has not ended");
        } else if (segment.mo() != mo) {
            breaches.add("DDP-5.2-1", "MO is " + segment.mo() + "; " + mo + " comes next in the message");
        }
    }

    private void begun(Segment segment, int queue, Breaches breaches) {
        if (next[queue] >= 0 && segment.msn() != next[queue]) {
            String id = next[queue] == 1 && certain ? "DDP-4.3-1" : "DDP-4.3-2";
            breaches.add(id, "MSN of queue " + queue + " is " + segment.msn() + "; " + next[queue] + " comes next");
        }
        // In the middle of a stream the message may have begun before the capture.
        if (segment.mo() != 0 && next[queue] >= 0) {
            breaches.add("DDP-4.3-4", "the first MO of the message is " + segment.mo());
        }
    }
}
