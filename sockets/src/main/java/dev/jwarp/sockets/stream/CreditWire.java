package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** What an end with credits posts to its queue pair. All of it goes in the order of the calls, and is done in that order. */
public interface CreditWire {
    /**
     * Posts a Send of bytes of the protocol's own send memory. They stay as they are until it is done.
     *
     * @param offset where they begin in the send memory
     * @param length in bytes
     * @param id what to say then: one more than the one before
     */
    void send(int offset, int length, long id);

    /**
     * Posts a Send of a header in the send memory, and behind it of bytes where the program has them. All of it stays as it is until it is done.
     *
     * @param offset where the header begins in the send memory
     * @param from where the bytes begin in the program's memory, which the implementation knows
     * @param length how many, without the header
     * @param id as for {@link #send}
     */
    void gather(int offset, int from, int length, long id);

    /**
     * Posts a Send of a header, and of what few bytes belong to it, which are copied.
     *
     * @param header from position to limit, neither of which is changed
     * @param id as for {@link #send}
     */
    void sendCopy(ByteBuffer header, long id);

    /**
     * Posts a receive buffer again.
     *
     * @param slot which
     */
    void free(int slot);
}
