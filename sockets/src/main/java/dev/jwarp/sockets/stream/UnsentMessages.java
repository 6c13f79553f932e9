package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * The memory that a stream with credits sends from, as a ring of messages: the next one is filled by writes, and those before it are under way. Beside it, how much
 * of the message of the program is still to come, with {@link CreditEngine.Options#messages}.
 */
final class UnsentMessages {
    /** Fewer there never are. */
    static final int LEAST = 4;

    private final ByteBuffer memory;
    private final boolean ofProgram;
    /** Octets of a message with its header, and how many there is memory for. */
    private int size;

    private int count;
    private int next;
    private int free;

    /** Bytes in the next message. */
    private int pending;

    private boolean pendingGoes;
    /** A message of the program ends with them. */
    private boolean pendingLast;

    /** Bytes of the program's message that are not consumed yet. */
    private long rest;
    /** Part of the message was consumed. */
    private boolean begun;
    /** What {@link #begin} has said of the one that is next; 0: it is what the write has. */
    private long toldRest;

    /** Nothing goes before {@link #connected}. */
    UnsentMessages(ByteBuffer memory, boolean ofProgram) {
        this.memory = memory;
        this.ofProgram = ofProgram;
    }

    /**
     * The peer's receive buffers have that length.
     *
     * @param most that may be under way
     */
    void connected(int buffer, int most) {
        size = Math.min(buffer, memory.capacity() / LEAST);
        count = Math.min(memory.capacity() / size, most);
        free = count;
    }

    // ---- messages of the program

    /** As {@link SocketEngine#begin}. */
    void begin(long length) {
        toldRest = begun ? Math.max(length - rest, 0) : length; // what goes on with a message is not of the next one
    }

    /** {@return how many of {@code length} bytes belong to the program's message that is to be taken} */
    int ofMessage(int length) {
        if (!ofProgram) {
            return length;
        }
        if (!begun) {
            rest = Math.max(toldRest, length);
        }
        return (int) Math.min(length, rest);
    }

    /** {@return whether the program's message ends with so many bytes more, after {@link #ofMessage}} */
    boolean wouldEndWith(int bytes) {
        return ofProgram && bytes == rest;
    }

    /** {@return whether the program's message ends with so many bytes more, which are taken} */
    boolean endsWith(int bytes) {
        if (ofProgram && bytes > 0) {
            rest -= bytes;
            begun = rest > 0;
            return !begun;
        }
        return false;
    }

    // ---- the next message

    /** {@return octets of data that a message has room for} */
    int longest() {
        return size - CreditMessage.HEADER;
    }

    /** {@return octets that the next message has room for} */
    int room() {
        return free == 0 || pendingLast ? 0 : longest() - pending;
    }

    int pending() {
        return pending;
    }

    boolean pendingLast() {
        return pendingLast;
    }

    /** {@return whether the next message may go} */
    boolean goes() {
        return pendingGoes;
    }

    /** Fills the next message. */
    void fill(StreamSource from, int some) {
        from.give(memory, next * size + CreditMessage.HEADER + pending, some);
        pending += some;
        pendingLast = endsWith(some);
    }

    /** What is in the next message goes as soon as it can. */
    void flush() {
        pendingGoes = pending > 0;
    }

    /** What is in the next message goes now, or not at all. */
    void clear() {
        pending = 0;
        pendingGoes = false;
        pendingLast = false;
    }

    /** {@return where the next message begins, which is under way from now on} */
    int take() {
        int at = next * size;
        free--;
        next = (next + 1) % count;
        return at;
    }

    /** One is done. */
    void done() {
        free++;
    }

    boolean hasFree() {
        return free > 0;
    }

    /** {@return whether nothing waits, and nothing is under way} */
    boolean allGone() {
        return pending == 0 && free == count;
    }
}
