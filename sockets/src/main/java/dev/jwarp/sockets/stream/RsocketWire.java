package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Posts the requests of an rsocket to its queue pair. Requests are executed, and complete, in the order of the calls. A
 * request that is followed by a word is posted at the latest with the word.
 */
public interface RsocketWire {
    /**
     * Memory of this end that the peer fills with data from the first byte to the last.
     *
     * @param memory from 0 to its capacity
     * @param address of the first byte, for the peer
     * @param key STag of the memory
     */
    record Place(ByteBuffer memory, long address, int key) {
        int length() {
            return memory.capacity();
        }
    }

    /**
     * Posts an RDMA Write of bytes of the engine's send memory, which do not change until the following {@link #send}
     * completes.
     *
     * @param offset of the bytes in the send memory
     * @param length in bytes, 1 or more
     * @param address of the peer's memory
     * @param key the peer's STag
     */
    void write(int offset, int length, long address, int key);

    /**
     * Posts an RDMA Write of bytes in the program's memory, which do not change until the following {@link #send}
     * completes.
     *
     * @param from offset of the bytes in the program's memory, which the implementation knows
     * @param length in bytes, 1 or more
     * @param address of the peer's memory
     * @param key the peer's STag
     */
    void gather(int from, int length, long address, int key);

    /**
     * Posts an RDMA Write without a following word. Its completion is reported to the engine.
     *
     * @param offset as for {@link #write}
     * @param length as for {@link #write}
     * @param address as for {@link #write}
     * @param key as for {@link #write}
     * @param id to report on completion, as for {@link #send}
     */
    void writeAlone(int offset, int length, long address, int key, long id);

    /**
     * Posts an RDMA Write of a few bytes as inline data.
     *
     * @param bytes from position to limit, neither of which is changed
     * @param address of the peer's memory
     * @param key the peer's STag
     */
    void writeCopy(ByteBuffer bytes, long address, int key);

    /**
     * Posts a Send of a word as inline data. Its completion, which implies that of all earlier requests, is reported to
     * the engine.
     *
     * @param word four bytes, from position to limit; neither is changed
     * @param id to report on completion: one more than that of the request before
     */
    void send(ByteBuffer word, long id);

    /**
     * {@return a larger place that replaces {@code place}, or {@code place} itself if the memory cannot grow now} The
     * new place is freed with the stream, even if it was never used.
     *
     * @param place that the peer has filled and the program has read; not used again if another one is returned
     */
    Place larger(Place place);
}
