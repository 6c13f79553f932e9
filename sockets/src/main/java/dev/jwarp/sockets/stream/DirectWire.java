package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Posts the requests of zero-copy data, and has their memory. Requests are executed in the order of the calls, together
 * with those of {@link CreditWire}. Words are numbers in the byte order of the host that has them.
 */
public interface DirectWire {
    /** The destination of an RDMA Read of an offer. */
    enum Target {
        /** The memory that the program has lent for receiving. */
        LENT,
        /** The {@link #stage}. */
        STAGE,
        /** The last memory of {@link #spare}. */
        SPARE
    }

    /** {@return the staging buffer, to which data are fetched if the program has lent no memory} */
    ByteBuffer stage();

    /**
     * {@return additional memory for data of the peer while both ends write; null if none is available}
     *
     * @param length in bytes
     */
    @Nullable
    ByteBuffer spare(int length);

    /** Frees the oldest {@link #spare} memory. */
    void freeSpare();

    /** {@return the address of this end's word, for the peer} */
    long wordAddress();

    /** {@return the key of this end's word, for the peer} */
    int wordKey();

    /** {@return this end's word, as the peer's Atomics have left it} */
    long word();

    /**
     * {@return whether the word of this end had the expected value and was replaced} The change is atomic, also with
     * regard to Atomics of the peer.
     *
     * @param expected value to replace
     * @param replacement new value
     */
    boolean swapWord(long expected, long replacement);

    /**
     * Posts an Atomic compare-and-swap of the peer's word.
     *
     * @param address of the word
     * @param key STag of the word
     * @param expected value to replace
     * @param replacement new value
     * @param id as for {@link CreditWire#send}
     */
    void swap(long address, int key, long expected, long replacement, long id);

    /** {@return the old value of the last completed {@link #swap}} */
    long swapped();

    /**
     * Posts an RDMA Write of the memory that the program has lent for sending, from its beginning.
     *
     * @param address of the destination
     * @param key STag of the destination
     * @param length in bytes
     * @param id as for {@link CreditWire#send}
     */
    void put(long address, int key, int length, long id);

    /**
     * Posts an RDMA Read.
     *
     * @param address of the source
     * @param key STag of the source
     * @param length in bytes
     * @param target destination, from its beginning
     * @param id as for {@link CreditWire#send}
     */
    void fetch(long address, int key, int length, Target target, long id);
}
