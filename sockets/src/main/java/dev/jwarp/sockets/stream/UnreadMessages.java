package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Messages with data that have come, and that the program has not read: a ring of receive buffers. */
final class UnreadMessages {
    private final ByteBuffer received;
    private final int buffer;
    private final int[] slots;
    private final int[] lengths;
    private final boolean[] last;
    private int first;
    private int count;
    /** Bytes of the first that were read. */
    private int readAt;

    private int bytes;
    /** What the program has read last was the end of a message. */
    private boolean readEnd = true;

    /**
     * None yet.
     *
     * @param received the receive buffers, one behind the other
     * @param buffer bytes of each
     * @param most that there may be
     */
    UnreadMessages(ByteBuffer received, int buffer, int most) {
        this.received = received;
        this.buffer = buffer;
        slots = new int[most];
        lengths = new int[most];
        last = new boolean[most];
    }

    /** {@return bytes of all of them} */
    int bytes() {
        return bytes;
    }

    /** {@return whether what the program has read last was the end of a message; true before anything was read} */
    boolean readEnd() {
        return readEnd;
    }

    /** The program has read something, here or where it was not copied to. */
    void read(boolean endsMessage) {
        readEnd = endsMessage;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** One has come. */
    void add(int slot, int length, boolean endsMessage) {
        int at = (first + count) % slots.length;
        slots[at] = slot;
        lengths[at] = length;
        last[at] = endsMessage;
        count++;
        bytes += length;
    }

    /** {@return how many bytes of the first are taken} */
    int take(StreamSink into, int most) {
        int some = Math.min(most, lengths[first] - readAt);
        into.take(received, slots[first] * buffer + CreditMessage.HEADER + readAt, some);
        readAt += some;
        bytes -= some;
        return some;
    }

    /** {@return whether all of the first is taken} */
    boolean firstTaken() {
        return readAt == lengths[first];
    }

    /** {@return whether a message of the program ends with the first} */
    boolean endsMessage() {
        return last[first];
    }

    /** {@return the receive buffer of the first message, which is removed} */
    int remove() {
        bytes -= lengths[first] - readAt;
        readAt = 0;
        int slot = slots[first];
        first = (first + 1) % slots.length;
        count--;
        return slot;
    }
}
