package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an end posts, and has, so that data need not be copied. All that is posted goes in the order of the calls, with what {@link CreditWire} posts. Words are numbers in the
 * byte order of the machine that has them.
 */
public interface DirectWire {
    /** Where an RDMA Read puts what a peer offers. */
    enum Target {
        /** The memory that the program has lent to be received in. */
        LENT,
        /** The {@link #stage}. */
        STAGE,
        /** The last memory of {@link #spare}. */
        SPARE
    }

    /** {@return memory of the protocol's own that data are fetched to, if the program has given none} */
    ByteBuffer stage();

    /**
     * {@return additional memory of the protocol, for what the peer writes while this end writes; null: there is none}
     *
     * @param length in bytes
     */
    @Nullable
    ByteBuffer spare(int length);

    /** The oldest {@link #spare} memory is no longer used. */
    void freeSpare();

    /** {@return where this end's word is, for the peer} */
    long wordAddress();

    /** {@return the key of this end's word, for the peer} */
    int wordKey();

    /** {@return this end's word, as the peer's Atomics have left it} */
    long word();

    /**
     * {@return whether this end's word had the one value, and has the other one now: in one step, and as an Atomic of the peer would do it}
     *
     * @param expected what is replaced
     * @param replacement with what
     */
    boolean swapWord(long expected, long replacement);

    /**
     * Posts an Atomic compare-and-swap of the peer's word.
     *
     * @param address of it
     * @param key of it
     * @param expected what is replaced
     * @param replacement with what
     * @param id as for {@link CreditWire#send}
     */
    void swap(long address, int key, long expected, long replacement, long id);

    /** {@return what was there at the last {@link #swap} that is done} */
    long swapped();

    /**
     * Posts an RDMA Write of memory that the program has lent to be sent from, from its beginning.
     *
     * @param address where to
     * @param key of that
     * @param length in bytes
     * @param id as for {@link CreditWire#send}
     */
    void put(long address, int key, int length, long id);

    /**
     * Posts an RDMA Read.
     *
     * @param address where from
     * @param key of that
     * @param length in bytes
     * @param target where to, from its beginning
     * @param id as for {@link CreditWire#send}
     */
    void fetch(long address, int key, int length, Target target, long id);
}
