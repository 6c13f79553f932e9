package dev.jwarp.ddp.llp.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a simulated byte stream: a queue of bytes of bounded size, from which the network delivers pieces of
 * a drawn size at drawn times, and then the end of the stream.
 */
final class SimPipe {
    private final SimNetwork network;
    private final SimLink link;
    private final SimStream stream;
    private final SimEnd from;
    private final SimEnd to;
    /** What is still to go wrong, by byte. */
    private final ArrayDeque<StreamFault> faults;

    private final byte[] octets;
    private int first;
    private int count;

    private long delivered;
    private final long notBefore;
    private boolean scheduled;
    /** No bytes follow those in the queue. */
    private boolean finished;
    /** What is written from now on is lost. */
    private boolean losing;
    /** Nothing is delivered any more. */
    private boolean over;

    SimPipe(SimStream stream, SimEnd from, SimEnd to, List<StreamFault> faults, long notBefore) {
        this.stream = stream;
        this.network = stream.network;
        this.link = stream.link;
        this.from = from;
        this.to = to;
        this.faults = new ArrayDeque<>(faults);
        this.notBefore = notBefore;
        this.octets = new byte[link.sendBuffer()];
    }

    /** Both sides are there: what is to go wrong before the first byte may go wrong. */
    void open() {
        schedule();
    }

    /** Takes what there is room for; answers how many bytes. */
    int write(ByteBuffer source) {
        if (losing) {
            int lost = source.remaining();
            source.position(source.limit());
            return lost;
        }
        int taken = 0;
        while (source.hasRemaining() && count < octets.length) {
            int end = (first + count) % octets.length;
            int length = Math.min(source.remaining(), Math.min(octets.length - count, octets.length - end));
            source.get(octets, end, length);
            count += length;
            taken += length;
        }
        schedule();
        return taken;
    }

    /** Nothing is written any more; the receiver sees the end behind what is under way. */
    void finish() {
        finished = true;
        schedule();
    }

    /** The direction ends here: what is under way and what is written later is lost; the receiver sees the end. */
    void endHere() {
        count = 0;
        losing = true;
        from.roomAgain();
        finish();
    }

    /** Nothing arrives any more, not even the end. What is written waits without end. */
    void swallow() {
        over = true;
    }

    /** The direction is gone. */
    void cut() {
        over = true;
        losing = true;
        count = 0;
    }

    private void schedule() {
        if (!scheduled && !over && (count > 0 || finished || faultIsDue())) {
            scheduled = true;
            network.at(Math.max(notBefore, network.delayed(link)), this::arrive);
        }
    }

    private void arrive() {
        scheduled = false;
        if (over) {
            return;
        }
        if (faultIsDue()) {
            stream.strike(faults.remove().kind(), this);
        } else if (count > 0) {
            deliver();
        } else if (finished) {
            over = true;
            to.inputClosed(stream);
        }
        schedule();
    }

    private boolean faultIsDue() {
        StreamFault fault = faults.peek();
        return fault != null && fault.octet() == delivered && fault.kind() != StreamFault.Kind.CORRUPT;
    }

    private void deliver() {
        if (to.left(stream)) {
            // As TCP does: bytes for a socket that was closed are answered by a reset.
            stream.reset();
            return;
        }
        byte[] segment = new byte[nextLength()];
        for (int i = 0; i < segment.length; i++) {
            segment[i] = octets[(first + i) % octets.length];
        }
        StreamFault fault = faults.peek();
        if (fault != null && fault.octet() == delivered) {
            segment[0] ^= (byte) fault.mask();
            faults.remove();
        }
        first = (first + segment.length) % octets.length;
        count -= segment.length;
        delivered += segment.length;
        from.roomAgain();
        to.received(segment);
    }

    /** A piece ends where something is to go wrong next. */
    private int nextLength() {
        int length = Math.min(count, network.drawSegment(link));
        @Nullable StreamFault fault = faults.peek();
        if (fault != null && fault.octet() > delivered) {
            return (int) Math.min(length, fault.octet() - delivered);
        }
        return length;
    }
}
