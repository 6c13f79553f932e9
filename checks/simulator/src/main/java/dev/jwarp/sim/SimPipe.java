package dev.jwarp.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a simulated byte stream: a bounded queue of bytes, from which the network delivers pieces of random
 * size at random times, and then the end of the stream.
 */
final class SimPipe {
    private final SimNetwork network;
    private final SimLink link;
    private final SimStream stream;
    private final SimEnd from;
    private final SimEnd to;
    /** The pending faults by byte. */
    private final ArrayDeque<StreamFault> faults;

    private final byte[] octets;
    private int first;
    private int count;

    private long delivered;
    private final long notBefore;
    private boolean scheduled;
    /** No bytes follow those in the queue. */
    private boolean finished;
    /** Later writes are lost. */
    private boolean losing;
    /** Delivery has ended. */
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

    /** The stream is established: faults before the first byte take effect. */
    void open() {
        schedule();
    }

    /** Accepts bytes as far as there is room; returns their number. */
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

    /** Closes the direction: the receiver sees the end after the bytes in flight. */
    void finish() {
        finished = true;
        schedule();
    }

    /** Ends the direction at once: bytes in flight and later writes are lost; the receiver sees the end. */
    void endHere() {
        count = 0;
        losing = true;
        from.roomAgain();
        finish();
    }

    /** Stalls the direction: nothing arrives any more, not even the end. Written bytes wait for ever. */
    void swallow() {
        over = true;
    }

    /** Removes the direction. */
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
            // as in TCP, bytes for a closed socket are answered by a reset
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

    /** A piece ends at the next fault. */
    private int nextLength() {
        int length = Math.min(count, network.drawSegment(link));
        @Nullable StreamFault fault = faults.peek();
        if (fault != null && fault.octet() > delivered) {
            return (int) Math.min(length, fault.octet() - delivered);
        }
        return length;
    }
}
