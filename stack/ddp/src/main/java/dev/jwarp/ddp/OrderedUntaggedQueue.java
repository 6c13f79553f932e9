package dev.jwarp.ddp;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The queue over an ordered lower layer: only one message is incomplete at a time. */
final class OrderedUntaggedQueue<B extends UntaggedBuffer> extends UntaggedQueue<B> {
    private @Nullable B current;
    private boolean started;
    private boolean whole;
    private int received;
    private int ulpControl;
    private int ulpWord;

    OrderedUntaggedQueue(UntaggedBufferSource<B> source) {
        super(source);
    }

    @Override
    public @Nullable TerminateCode place(DdpSegment segment, ByteBuffer ulpdu, int longest) {
        if (whole) {
            throw new IllegalStateException("Deliver the complete message before the next segment");
        }
        // RFC 5041 §7.1 (5), DDP-7.1-5: on an ordered stream only the next message may have segments now.
        if (segment.messageSequenceNumber() != nextMsn()) {
            return TerminateCode.DDP_MSN_RANGE;
        }
        B buffer = current;
        if (buffer == null) {
            buffer = take();
            current = buffer;
            // RFC 5041 §7.1 (2), DDP-7.1-2: QN and MSN need a posted buffer.
            if (buffer == null) {
                return TerminateCode.DDP_NO_BUFFER;
            }
        }
        // RFC 5041 §4.3: RsvdULP is the same in every segment of a message, so the opcode must not change.
        if (started && segment.ulpControl() != ulpControl) {
            return TerminateCode.RDMAP_UNEXPECTED_OPCODE;
        }
        int length = segment.payloadLength();
        // RFC 5041 §5.3, §7.1 (3), DDP-7.1-3: offsets rise without gap or
        // overlap; otherwise stale memory would be delivered.
        if (segment.messageOffset() != received) {
            return TerminateCode.DDP_INVALID_MO;
        }
        // RFC 5041 §7.1 (4), DDP-7.1-4: the payload must end within the buffer.
        if (length > Math.min(buffer.capacity(), longest) - received) {
            return TerminateCode.DDP_MESSAGE_TOO_LONG;
        }
        if (length > 0) {
            buffer.place(received, ulpdu, segment.payloadOffset(), length);
        }
        started = true;
        // DDP-5.3-2: each octet is placed once, in the order of sending.
        received += length;
        ulpControl = segment.ulpControl();
        if (segment.last()) {
            // DDP-5.4-1, DDP-5.4-2, DDP-5.4-3: the message is complete, with this length and RsvdULP.
            ulpWord = segment.ulpWord();
            whole = true;
        }
        return null;
    }

    @Override
    public boolean deliverable() {
        return whole;
    }

    @Override
    public B buffer() {
        B buffer = current;
        if (!whole || buffer == null) {
            throw new IllegalStateException("No message can be delivered now");
        }
        return buffer;
    }

    @Override
    public int messageLength() {
        return received;
    }

    @Override
    public int ulpControl() {
        return ulpControl;
    }

    @Override
    public int ulpWord() {
        return ulpWord;
    }

    @Override
    void forgetDelivered() {
        current = null;
        started = false;
        whole = false;
        received = 0;
    }

    @Override
    public @Nullable B drain() {
        B buffer = current;
        forgetDelivered();
        return buffer;
    }
}
