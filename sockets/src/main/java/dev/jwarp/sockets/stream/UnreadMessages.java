package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Received data messages that the program has not read: a ring of receive buffers. */
final class UnreadMessages {
    private final ByteBuffer received;
    private final int buffer;
    private final int[] slots;
    private final int[] lengths;
    private final boolean[] last;
    private int first;
    private int count;
    /** Bytes of the first message that were read. */
    private int readAt;

    private int bytes;
    /** Whether the last read of the program was the end of a message. */
    private boolean readEnd = true;

    /**
     * Made empty.
     *
     * @param received the receive buffers, contiguous
     * @param buffer bytes of each buffer
     * @param most maximum of messages
     */
    UnreadMessages(ByteBuffer received, int buffer, int most) {
        this.received = received;
        this.buffer = buffer;
        slots = new int[most];
        lengths = new int[most];
        last = new boolean[most];
    }

    /** {@return unread bytes of all messages} */
    int bytes() {
        return bytes;
    }

    /** {@return whether the last read of the program was the end of a message; true before the first read} */
    boolean readEnd() {
        return readEnd;
    }

    /** Notes a read of the program, of copied or zero-copy data. */
    void read(boolean endsMessage) {
        readEnd = endsMessage;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Adds a message. */
    void add(int slot, int length, boolean endsMessage) {
        int at = (first + count) % slots.length;
        slots[at] = slot;
        lengths[at] = length;
        last[at] = endsMessage;
        count++;
        bytes += length;
    }

    /** {@return the number of bytes that were read from the first message} */
    int take(StreamSink into, int most) {
        int some = Math.min(most, lengths[first] - readAt);
        into.take(received, slots[first] * buffer + CreditMessage.HEADER + readAt, some);
        readAt += some;
        bytes -= some;
        return some;
    }

    /** {@return whether the first message is completely read} */
    boolean firstTaken() {
        return readAt == lengths[first];
    }

    /** {@return whether a message of the program ends with the first message} */
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
