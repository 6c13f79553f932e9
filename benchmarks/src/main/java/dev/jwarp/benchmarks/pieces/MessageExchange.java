package dev.jwarp.benchmarks.pieces;

import java.io.IOException;

/** Two ends in one thread, between which messages go back and forth. */
abstract class MessageExchange implements AutoCloseable {
    /** Bytes of the longest message. */
    static final int LONGEST = 1 << 16;

    /**
     * Moves one message from one end to the other: the sender writes it and looks once for input, and the receiver looks
     * for input until it has all of the message.
     *
     * @param from the sender, 0 or 1
     */
    abstract void move(int from) throws IOException;

    @Override
    public abstract void close() throws IOException;
}
