package dev.jwarp.llp;

import java.net.InetSocketAddress;

/**
 * The interface of a driver (sockets, an event loop, the simulator) for the {@link StreamEngine} whose bytes it
 * transports.
 *
 * <p>A driver checks {@link StreamEngine#prepareOutput}, {@link StreamEngine#ending} and
 * {@link StreamEngine#nextTimeout} after each of its calls of the engine and after each task of {@link #execute}. For
 * changes at any other time the engine calls {@link #wakeup}.
 */
public interface StreamDriver extends Deferring {
    /** {@return the local address; before the stream is connected the requested one, or the wildcard} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the peer's address} Any thread. */
    InetSocketAddress remoteAddress();

    /**
     * {@return the largest TCP segment for the path (RFC 5044 §4.5 EMSS), bytes: measured, or estimated from the MTU of
     * the interface} Asked after {@link StreamEngine#onConnected}. Owner thread only.
     */
    int effectiveMaximumSegmentSize();

    /** The number of unsent bytes is unknown. */
    int UNKNOWN = -1;

    /** TCP's segments have another size. */
    int OTHER_SEGMENTS = -2;

    /**
     * {@return the number of bytes that TCP has accepted and not sent, or {@link #UNKNOWN}, or {@link #OTHER_SEGMENTS}}
     * The next bytes follow them in the same segments. Costs a system call. Owner thread only.
     *
     * @param segment size of a segment in bytes as the caller assumes; 0 for any size
     */
    default int unsentOctets(int segment) {
        return UNKNOWN;
    }

    /** See {@link LowerLayer#keepAlive}. The stream must be connected. Owner thread only. */
    default void keepAlive(KeepAliveTimes wanted) {}

    /**
     * Requests that the driver checks the engine soon (output, ending, timeout). Any thread; cheap; superfluous calls
     * are harmless.
     */
    void wakeup();

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);
}
