package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * What a stream protocol posts to its queue pair. All of it goes in the order of the calls, and is done in that order; what a word follows goes
 * with that word at the latest.
 */
public interface RsocketWire {
    /**
     * Memory of this end that the peer writes data to, from the first byte to the last.
     *
     * @param memory all of it, from 0 to its capacity
     * @param address of its first byte, for the peer
     * @param key its STag
     */
    record Place(ByteBuffer memory, long address, int key) {
        int length() {
            return memory.capacity();
        }
    }

    /**
     * Posts an RDMA Write of bytes of the protocol's own send memory. They stay as they are until the {@link #send} that follows is done.
     *
     * @param offset where they begin in the send memory
     * @param length in bytes, 1 or more
     * @param address of the peer's memory
     * @param key the peer's STag
     */
    void write(int offset, int length, long address, int key);

    /**
     * Posts an RDMA Write of bytes where the program has them. They stay as they are until the {@link #send} that follows is done.
     *
     * @param from where they begin in the program's memory, which the implementation knows
     * @param length in bytes, 1 or more
     * @param address of the peer's memory
     * @param key the peer's STag
     */
    void gather(int from, int length, long address, int key);

    /**
     * Posts an RDMA Write that no word follows. Once it is done, the protocol wants to know.
     *
     * @param offset as for {@link #write}
     * @param length as for {@link #write}
     * @param address as for {@link #write}
     * @param key as for {@link #write}
     * @param id what to say then, as for {@link #send}
     */
    void writeAlone(int offset, int length, long address, int key, long id);

    /**
     * Posts an RDMA Write of a few bytes, which are copied.
     *
     * @param bytes from position to limit, neither of which is changed
     * @param address of the peer's memory
     * @param key the peer's STag
     */
    void writeCopy(ByteBuffer bytes, long address, int key);

    /**
     * Posts a Send of a word, which is copied. Once it is done, all that was posted before is, and the protocol wants to know.
     *
     * @param word four bytes, from position to limit, neither of which is changed
     * @param id what to say then: one more than the one before
     */
    void send(ByteBuffer word, long id);

    /**
     * {@return memory that the peer writes to in this one's stead: more of it, or the same if there shall be no more now} The
     * stream can end before it is used; it is freed with the stream, like all others.
     *
     * @param place that the peer has filled and the program has read, and that is not used again if another one is returned
     */
    Place larger(Place place);
}
