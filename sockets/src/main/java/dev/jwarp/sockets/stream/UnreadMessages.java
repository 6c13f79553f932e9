package dev.jwarp.sockets.stream;

/** Messages with data that have come, and that the program has not read: a ring of receive buffers. */
final class UnreadMessages {
    private final int[] slots;
    private final int[] lengths;
    private final boolean[] last;
    private int first;
    private int count;
    /** Bytes of the first that were read. */
    private int readAt;

    private int bytes;

    UnreadMessages(int most) {
        slots = new int[most];
        lengths = new int[most];
        last = new boolean[most];
    }

    /** {@return bytes of all of them} */
    int bytes() {
        return bytes;
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

    /** {@return the receive buffer of the first} */
    int slot() {
        return slots[first];
    }

    /** {@return how many bytes of the first were read} */
    int readAt() {
        return readAt;
    }

    /** {@return how many bytes of the first are left} */
    int left() {
        return lengths[first] - readAt;
    }

    /** {@return whether a message of the program ends with the first} */
    boolean endsMessage() {
        return last[first];
    }

    /** So many bytes of the first were read. */
    void read(int some) {
        readAt += some;
        bytes -= some;
    }

    /** {@return the receive buffer of the first, which is one of them no more} */
    int remove() {
        bytes -= left();
        readAt = 0;
        int slot = slots[first];
        first = (first + 1) % slots.length;
        count--;
        return slot;
    }
}
