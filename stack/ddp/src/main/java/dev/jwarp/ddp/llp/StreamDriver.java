package dev.jwarp.ddp.llp;

import java.net.InetSocketAddress;

/**
 * The byte stream under a {@link StreamEngine}, as the engine sees it: what it may ask of the driver (sockets, an event
 * loop, the simulator) that moves its octets.
 *
 * <p>A driver looks at {@link StreamEngine#prepareOutput}, {@link StreamEngine#ending} and
 * {@link StreamEngine#nextTimeout} after every call of its own into the engine and after every task run by
 * {@link #execute}. For whatever changes at any other moment the engine calls {@link #wakeup}.
 */
public interface StreamDriver extends Deferring {
    /** {@return our address; before the stream is connected the one asked for, or the wildcard} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the peer's address} Any thread. */
    InetSocketAddress remoteAddress();

    /**
     * {@return the largest TCP segment for the path (RFC 5044 §4.5 EMSS), octets: measured, or estimated from the MTU of
     * the interface} Asked after {@link StreamEngine#onConnected}. Owner thread only.
     */
    int effectiveMaximumSegmentSize();

    /** TCP does not tell what it has not sent. */
    int UNKNOWN = -1;

    /** TCP's segments have another size. */
    int OTHER_SEGMENTS = -2;

    /**
     * {@return octets that TCP has taken and not sent, or {@link #UNKNOWN}, or {@link #OTHER_SEGMENTS}} The next octets go behind them into the same segments. Costs a system call. Owner thread only.
     *
     * @param segment octets of a segment, as the caller believes; 0: of any size
     */
    default int unsentOctets(int segment) {
        return UNKNOWN;
    }

    /** See {@link LowerLayer#keepAlive}; the stream is connected. Owner thread only. */
    default void keepAlive(KeepAliveTimes wanted) {}

    /** Asks the driver to look at the engine soon (output, ending, timeout). Any thread; cheap; may come too often. */
    void wakeup();

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);
}
