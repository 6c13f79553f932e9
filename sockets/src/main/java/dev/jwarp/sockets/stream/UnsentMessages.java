package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * The send memory of a credit stream as a ring of messages: writes fill the next message, and those before it are
 * outstanding. With {@link CreditEngine.Options#messages} also the rest of the current message of the program.
 */
final class UnsentMessages {
    /** Minimum of messages. */
    static final int LEAST = 4;

    private final ByteBuffer memory;
    private final boolean ofProgram;
    /** Octets of a message with its header, and the number of messages. */
    private int size;

    private int count;
    private int next;
    private int free;

    /** Bytes in the next message. */
    private int pending;

    private boolean pendingGoes;
    /** Whether a message of the program ends with {@link #pending}. */
    private boolean pendingLast;

    /** Bytes of the program's message that are not accepted yet. */
    private long rest;
    /** Whether a part of the program's message was accepted. */
    private boolean begun;
    /** Length of the next message from {@link #begin}; 0: the length of the write. */
    private long toldRest;

    /** Nothing is sent before {@link #connected}. */
    UnsentMessages(ByteBuffer memory, boolean ofProgram) {
        this.memory = memory;
        this.ofProgram = ofProgram;
    }

    /**
     * Sets the length of the peer's receive buffers.
     *
     * @param most maximum of outstanding messages
     */
    void connected(int buffer, int most) {
        size = Math.min(buffer, memory.capacity() / LEAST);
        count = Math.min(memory.capacity() / size, most);
        free = count;
    }

    // ---- messages of the program

    /** As {@link SocketEngine#begin}. */
    void begin(long length) {
        toldRest = begun ? Math.max(length - rest, 0) : length; // without the rest of the current message
    }

    /** {@return how many of {@code length} bytes belong to the current message of the program} */
    int ofMessage(int length) {
        if (!ofProgram) {
            return length;
        }
        if (!begun) {
            rest = Math.max(toldRest, length);
        }
        return (int) Math.min(length, rest);
    }

    /** {@return whether the program's message would end after so many further bytes} After {@link #ofMessage}. */
    boolean wouldEndWith(int bytes) {
        return ofProgram && bytes == rest;
    }

    /** {@return whether the program's message ends after so many further bytes, which are accepted} */
    boolean endsWith(int bytes) {
        if (ofProgram && bytes > 0) {
            rest -= bytes;
            begun = rest > 0;
            return !begun;
        }
        return false;
    }

    // ---- the next message

    /** {@return the maximum octets of data of a message} */
    int longest() {
        return size - CreditMessage.HEADER;
    }

    /** {@return free octets of the next message} */
    int room() {
        return free == 0 || pendingLast ? 0 : longest() - pending;
    }

    int pending() {
        return pending;
    }

    boolean pendingLast() {
        return pendingLast;
    }

    /** {@return whether the next message may be sent} */
    boolean goes() {
        return pendingGoes;
    }

    /** Fills the next message. */
    void fill(StreamSource from, int some) {
        from.give(memory, next * size + CreditMessage.HEADER + pending, some);
        pending += some;
        pendingLast = endsWith(some);
    }

    /** Lets the next message be sent as soon as possible. */
    void flush() {
        pendingGoes = pending > 0;
    }

    /** Empties the next message, which is sent now or discarded. */
    void clear() {
        pending = 0;
        pendingGoes = false;
        pendingLast = false;
    }

    /** {@return the offset of the next message, which is outstanding from now on} */
    int take() {
        int at = next * size;
        free--;
        next = (next + 1) % count;
        return at;
    }

    /** Notes that an outstanding message has completed. */
    void done() {
        free++;
    }

    boolean hasFree() {
        return free > 0;
    }

    /** {@return whether no bytes wait and no message is outstanding} */
    boolean allGone() {
        return pending == 0 && free == count;
    }
}
