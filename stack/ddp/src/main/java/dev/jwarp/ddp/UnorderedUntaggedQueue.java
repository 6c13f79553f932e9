package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The queue over a lower layer that does not keep the order: up to a window of messages are under way at a time. */
final class UnorderedUntaggedQueue<B extends UntaggedBuffer> extends UntaggedQueue<B> {
    /** A message under way. */
    private static final class Slot<B> {
        private static final int UNKNOWN = -1;

        final ValidRanges placed;

        @Nullable
        B buffer;

        boolean started;
        /** Octets of the message, known from its L segment on. */
        int length = UNKNOWN;

        int ulpControl;
        int ulpWord;

        Slot(int ranges) {
            placed = new ValidRanges(ranges);
        }

        boolean whole() {
            return length != UNKNOWN && placed.contains(0, length);
        }

        void clear() {
            buffer = null;
            started = false;
            length = UNKNOWN;
            placed.clear();
        }
    }

    /** Ring of messages; {@link #head} is the next to deliver, with {@link #nextMsn}. */
    private final Slot<B>[] slots;

    private int head;
    /** How many slots from {@link #head} on have their buffer. */
    private int taken;

    @SuppressWarnings("unchecked") // an array of a generic type cannot be made otherwise
    UnorderedUntaggedQueue(UntaggedBufferSource<B> source, int window, int rangesPerMessage) {
        super(source);
        if (window < 1) {
            throw new IllegalArgumentException("A window has 1 message or more, not " + window);
        }
        slots = (Slot<B>[]) new Slot<?>[window];
        for (int i = 0; i < window; i++) {
            slots[i] = new Slot<>(rangesPerMessage);
        }
    }

    @Override
    public @Nullable TerminateCode place(DdpSegment segment, ByteBuffer ulpdu, int longest) {
        // RFC 5041 §4.3: sequence numbers count modulo 2^32, so their distance does too.
        int ahead = segment.messageSequenceNumber() - nextMsn();
        // RFC 5041 §5.3: what comes again after its delivery is harmless and forgotten.
        if (ahead < 0 && ahead >= -slots.length) {
            return null;
        }
        // RFC 5041 §7.1 (5): not between the first and the last message that can have a buffer.
        if (ahead < 0 || ahead >= slots.length) {
            return TerminateCode.DDP_MSN_RANGE;
        }
        if (!takeUpTo(ahead)) {
            // RFC 5041 §7.1 (2), (5): the next message to get a buffer has none, or a later one is beyond the last.
            return ahead == taken ? TerminateCode.DDP_NO_BUFFER : TerminateCode.DDP_MSN_RANGE;
        }
        return place(slot(ahead), segment, ulpdu, longest);
    }

    private @Nullable TerminateCode place(Slot<B> slot, DdpSegment segment, ByteBuffer ulpdu, int longest) {
        B buffer = slot.buffer;
        if (buffer == null) {
            throw new IllegalStateException("A message under way has no buffer");
        }
        // RFC 5041 §4.3: RsvdULP is the same in every segment of a message.
        if (slot.started && segment.ulpControl() != slot.ulpControl) {
            return TerminateCode.RDMAP_UNEXPECTED_OPCODE;
        }
        int capacity = Math.min(buffer.capacity(), longest);
        // RFC 5041 §7.1 (3): the message offset must lie within the buffer.
        if (segment.messageOffset() > capacity) {
            return TerminateCode.DDP_INVALID_MO;
        }
        int begin = (int) segment.messageOffset();
        // RFC 5041 §7.1 (4): and so must the end of the payload.
        if (segment.payloadLength() > capacity - begin) {
            return TerminateCode.DDP_MESSAGE_TOO_LONG;
        }
        int end = begin + segment.payloadLength();
        // RFC 5041 §4.1: the L segment has the highest offset, so nothing lies behind it and it cannot move.
        boolean beyond = slot.length != Slot.UNKNOWN && (segment.last() ? end != slot.length : end > slot.length);
        if (beyond || (segment.last() && end < slot.placed.end())) {
            return TerminateCode.DDP_INVALID_MO;
        }
        boolean again = slot.placed.contains(begin, end);
        if (!slot.placed.add(begin, end)) {
            // More holes than the lower layer promised at most: a limit of ours, not of the RFC (RFC 5041 §7.2).
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        if (!again) {
            buffer.place(begin, ulpdu, segment.payloadOffset(), end - begin);
        }
        slot.started = true;
        slot.ulpControl = segment.ulpControl();
        if (segment.last()) {
            slot.length = end;
            slot.ulpWord = segment.ulpWord();
        }
        return null;
    }

    /** Binds buffers to messages in the order of both (RFC 5041 §5.1.2); answers false if there are too few. */
    private boolean takeUpTo(int ahead) {
        while (taken <= ahead) {
            B buffer = take();
            if (buffer == null) {
                return false;
            }
            slot(taken).buffer = buffer;
            taken++;
        }
        return true;
    }

    private Slot<B> slot(int ahead) {
        int i = head + ahead;
        return slots[i < slots.length ? i : i - slots.length];
    }

    @Override
    public boolean deliverable() {
        // RFC 5041 §5.4: whole, and every earlier message of the queue delivered.
        return taken > 0 && slots[head].whole();
    }

    @Override
    public B buffer() {
        B buffer = slots[head].buffer;
        if (!deliverable() || buffer == null) {
            throw new IllegalStateException("No message can be delivered now");
        }
        return buffer;
    }

    @Override
    public int messageLength() {
        return slots[head].length;
    }

    @Override
    public int ulpControl() {
        return slots[head].ulpControl;
    }

    @Override
    public int ulpWord() {
        return slots[head].ulpWord;
    }

    @Override
    void forgetDelivered() {
        slots[head].clear();
        head = head + 1 < slots.length ? head + 1 : 0;
        taken--;
    }

    @Override
    public @Nullable B drain() {
        if (taken == 0) {
            return null;
        }
        B buffer = slots[head].buffer;
        forgetDelivered();
        return buffer;
    }
}
