package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Segment;

/**
 * The program above the device under test, as the tester sees it over one connection. RDMAP does nothing by itself: a program has to make
 * the device send, take or refuse something, and programs differ in what they can do.
 *
 * <p>A new application is made for each connection. Only {@link #name}, {@link #known} and {@link #can} may be called before
 * {@link #begin}.
 */
public interface Application {
    /** The profile's name on the command line. */
    String name();

    /** Whether the program can do this; certain after {@link #begin}. */
    boolean can(Ability ability);

    /** Whether {@link #can} is certain before {@link #begin}. Then a case is skipped without a connection. */
    default boolean known() {
        return true;
    }

    /** Greets the program in full operation as its protocol demands, and learns what it can do. */
    void begin(Talk talk);

    /**
     * Finds out, before the cases and after {@link #begin}, whether the program is that of the profile. The result is charged to no device.
     */
    default void rehearse(Talk talk) {
        if (can(Ability.PROBE)) {
            talk.send(probe());
            expectAnswer();
        }
    }

    /** A Send, with the next MSN, that the program must answer if it is delivered. */
    Segment probe();

    /** Waits for the answer to {@link #probe}. */
    void expectAnswer();

    /**
     * Makes the program send {@code count} messages of {@code length} bytes, the i-th with
     * {@code pattern(length, i)}; some kinds name an STag to invalidate.
     */
    default void askSends(SendKind kind, int length, int count, long invalidate) {
        throw new Unable(this, Ability.SENDS);
    }

    /**
     * Makes the program write {@code count} messages of {@code length} bytes, one behind the other from
     * {@code to} on, and a Send after them.
     */
    default void askWrites(long stag, long to, int length, int count) {
        throw new Unable(this, Ability.WRITES);
    }

    /** Waits for the Send that says that the Writes are done. */
    default void expectWritten() {
        throw new Unable(this, Ability.WRITES);
    }

    /** Makes the program read {@code count} times {@code length} bytes, one behind the other from {@code to} on. */
    default void askReads(long stag, long to, int length, int count) {
        throw new Unable(this, Ability.READS);
    }

    /** Waits for the Send that says that the Reads are done; returns the bytes of the last one, at most 2,048. */
    default byte[] expectRead() {
        throw new Unable(this, Ability.READS);
    }

    /** Memory with all rights, or only with the right to write if the program shows nothing of it. */
    default Region target() {
        throw new Unable(this, Ability.TARGET);
    }

    /** Memory that may be read, filled with {@code pattern(length, 0)}. */
    default Region source() {
        throw new Unable(this, Ability.SOURCE);
    }

    /** Memory with exactly these rights. */
    default Region region(Rights rights) {
        throw new Unable(this, Ability.RIGHTS);
    }

    /** The bytes at an offset of {@link #target}, at most 2,048, as the program sees them. */
    default byte[] peek(int offset, int length) {
        throw new Unable(this, Ability.TARGET);
    }

    /** The bytes at an offset of the {@link #target} of an earlier connection when that connection ended. */
    default byte[] peek(Talk earlier, int offset, int length) {
        throw new Unable(this, Ability.COMPLETIONS);
    }

    /** Makes the program ready to be told that an STag is invalid; returns memory whose STag may be invalidated remotely. */
    default Region revocable() {
        throw new Unable(this, Ability.INVALIDATE);
    }

    /** Makes the program deregister the memory with these rights. The STag is worth nothing then. */
    default void deregister(Rights rights) {
        throw new Unable(this, Ability.REGISTERS);
    }

    /** The same without waiting for the answer. */
    default void askDeregister(Rights rights) {
        throw new Unable(this, Ability.REGISTERS);
    }

    /** Makes the program keep exactly {@code count} receives posted and post no more. */
    default void keepReceives(int count) {
        throw new Unable(this, Ability.RECEIVES);
    }

    /** Bytes that each of its receive buffers holds. */
    default int receiveSize() {
        throw new Unable(this, Ability.RECEIVE_SIZE);
    }

    /** Makes the program end the connection gracefully, after {@code sends} Sends. */
    default void askClose(int sends) {
        throw new Unable(this, Ability.CLOSES);
    }

    /** How the work of an earlier connection ended. */
    default Ended end(Talk earlier) {
        throw new Unable(this, Ability.COMPLETIONS);
    }

    /** Makes the program issue an atomic operation; {@code operands} are add or swap, its mask, compare, its mask. */
    default void askAtomic(int kind, long stag, long to, long... operands) {
        throw new Unable(this, Ability.ATOMICS);
    }

    /** Makes the program issue so many atomic operations at once. */
    default void askAtomics(int count, int kind, long stag, long to, long... operands) {
        throw new Unable(this, Ability.ATOMICS);
    }

    /** Waits for the Send that says that the atomic operation is done; returns the original value of the last one. */
    default long expectAtomic() {
        throw new Unable(this, Ability.ATOMICS);
    }

    /**
     * Makes the device ready for one more connection, in another configuration.
     *
     * @return the port to connect to if the device is the responder; 0 if the device is the initiator, whose
     *     next connection has the configuration
     */
    default int configure(DeviceConfiguration configuration) {
        throw new Unable(this, Ability.CONFIGURE);
    }

    /** The kinds of messages on queue 0. */
    enum SendKind {
        SEND(0),
        SEND_SE(1),
        SEND_INVALIDATE(2),
        SEND_SE_INVALIDATE(3),
        IMMEDIATE(4),
        IMMEDIATE_SE(5);

        private final int number;

        SendKind(int number) {
            this.number = number;
        }

        /** Its number in docs/conformance/target.md. */
        int number() {
            return number;
        }
    }

    /** Sets of rights. */
    enum Rights {
        ALL(0),
        READ_ONLY(1),
        WRITE_ONLY(2),
        NONE(3),
        OTHER_DOMAIN(4);

        private final int number;

        Rights(int number) {
            this.number = number;
        }

        /** Its number in docs/conformance/target.md. */
        int number() {
            return number;
        }
    }

    /**
     * The end of a connection, as the program saw it.
     *
     * @param delivered messages delivered to it
     * @param good work requests that ended well
     * @param failed work requests that ended in error, flushed ones apart
     * @param flushed work requests that were flushed
     * @param outstanding work requests that never completed
     * @param clean it was told that the peer ended the connection in good order
     */
    record Ended(int delivered, int good, int failed, int flushed, int outstanding, boolean clean) {}
}
