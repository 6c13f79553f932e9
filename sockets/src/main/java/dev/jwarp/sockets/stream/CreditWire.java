package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Posts the requests of a credit stream to its queue pair. Requests are executed, and complete, in the order of the
 * calls.
 */
public interface CreditWire {
    /**
     * Posts a Send of bytes of the engine's send memory, which do not change until the Send completes.
     *
     * @param offset of the bytes in the send memory
     * @param length in bytes
     * @param id to report on completion: one more than that of the request before
     */
    void send(int offset, int length, long id);

    /**
     * Posts a Send of a header in the send memory, followed by bytes in the program's memory. Neither changes until the
     * Send completes.
     *
     * @param offset of the header in the send memory
     * @param from offset of the bytes in the program's memory, which the implementation knows
     * @param length number of bytes without the header
     * @param id as for {@link #send}
     */
    void gather(int offset, int from, int length, long id);

    /**
     * Posts a Send of a control message as inline data.
     *
     * @param header from position to limit, neither of which is changed
     * @param id as for {@link #send}
     */
    void sendCopy(ByteBuffer header, long id);

    /**
     * Posts a receive buffer again.
     *
     * @param slot index of the buffer
     */
    void free(int slot);
}
