package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Segment;

/**
 * The program above the device under test, as the tester sees it over one connection. RDMAP does nothing by itself: what the device must
 * send, take or refuse has to be provoked through a program, and each program can do less or more.
 *
 * <p>Made anew for each connection. Only {@link #name}, {@link #known} and {@link #can} may be called before {@link #begin}.
 */
public interface Application {
    /** The profile's name on the command line. */
    String name();

    /** Whether the program can be asked for this; known for sure after {@link #begin}. */
    boolean can(Ability ability);

    /** Whether {@link #can} is right before {@link #begin}: then a case need not connect to be skipped. */
    default boolean known() {
        return true;
    }

    /** Full operation has begun: says what the program's protocol wants said first and learns what there is to learn. */
    void begin(Talk talk);

    /**
     * Before the cases, behind {@link #begin}: finds out whether the program is the one that the profile says. What comes of it is charged to
     * no device.
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
     * Makes it send {@code count} messages of {@code length} bytes, the i-th with {@code pattern(length, i)}; some name
     * an STag to invalidate.
     */
    default void askSends(SendKind kind, int length, int count, long invalidate) {
        throw new Unable(this, Ability.SENDS);
    }

    /**
     * Makes it write {@code count} messages of {@code length} bytes, one behind the other from {@code to} on, and a
     * Send behind them.
     */
    default void askWrites(long stag, long to, int length, int count) {
        throw new Unable(this, Ability.WRITES);
    }

    /** Takes the Send that says the Writes are done. */
    default void expectWritten() {
        throw new Unable(this, Ability.WRITES);
    }

    /** Makes it read {@code count} times {@code length} bytes, one behind the other from {@code to} on. */
    default void askReads(long stag, long to, int length, int count) {
        throw new Unable(this, Ability.READS);
    }

    /** Takes the Send that says the Reads are done and returns the bytes that the last one brought, at most 2,048. */
    default byte[] expectRead() {
        throw new Unable(this, Ability.READS);
    }

    /** Memory with all rights, or with that to write if the program shows nothing of it. */
    default Region target() {
        throw new Unable(this, Ability.TARGET);
    }

    /** Memory that may be read, filled with {@code pattern(length, 0)}. */
    default Region source() {
        throw new Unable(this, Ability.SOURCE);
    }

    /** Memory with just these rights. */
    default Region region(Rights rights) {
        throw new Unable(this, Ability.RIGHTS);
    }

    /** What is at an offset of {@link #target}, at most 2,048 bytes, looked at by the program itself. */
    default byte[] peek(int offset, int length) {
        throw new Unable(this, Ability.TARGET);
    }

    /** What stood at an offset of the {@link #target} of an earlier connection when that ended. */
    default byte[] peek(Talk earlier, int offset, int length) {
        throw new Unable(this, Ability.COMPLETIONS);
    }

    /** Makes it ready to be told that an STag is invalid: an STag of its own that may be invalidated from afar. */
    default Region revocable() {
        throw new Unable(this, Ability.INVALIDATE);
    }

    /** Makes it deregister the memory with these rights; the STag that it had is worth nothing then. */
    default void deregister(Rights rights) {
        throw new Unable(this, Ability.REGISTERS);
    }

    /** The same, without waiting for its answer. */
    default void askDeregister(Rights rights) {
        throw new Unable(this, Ability.REGISTERS);
    }

    /** Makes it keep just {@code count} receives posted and post no more. */
    default void keepReceives(int count) {
        throw new Unable(this, Ability.RECEIVES);
    }

    /** Bytes that each of its receive buffers holds. */
    default int receiveSize() {
        throw new Unable(this, Ability.RECEIVE_SIZE);
    }

    /** Makes it end the connection gracefully, with {@code sends} Sends posted just before. */
    default void askClose(int sends) {
        throw new Unable(this, Ability.CLOSES);
    }

    /** How the work of an earlier connection ended. */
    default Ended end(Talk earlier) {
        throw new Unable(this, Ability.COMPLETIONS);
    }

    /** Makes it issue an atomic operation; {@code operands} are add or swap, its mask, compare, its mask. */
    default void askAtomic(int kind, long stag, long to, long... operands) {
        throw new Unable(this, Ability.ATOMICS);
    }

    /** Makes it issue so many, all at once. */
    default void askAtomics(int count, int kind, long stag, long to, long... operands) {
        throw new Unable(this, Ability.ATOMICS);
    }

    /** Takes the Send that says that the atomic operation is done, and returns the original value that the last one brought. */
    default long expectAtomic() {
        throw new Unable(this, Ability.ATOMICS);
    }

    /**
     * Makes its device ready for one more connection, in another configuration.
     *
     * @return the port to connect to, where the device is the responder; 0 where it is the initiator: its next connection is the one
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
