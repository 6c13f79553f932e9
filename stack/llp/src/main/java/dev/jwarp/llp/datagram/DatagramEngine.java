package dev.jwarp.llp.datagram;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port of a lower layer, without input and output: a driver (sockets, an event loop, the simulator) passes
 * datagrams in and out, and the time. One thread at a time.
 */
public interface DatagramEngine {
    /** {@return the port that this engine carries; the same object at every call} Any thread. */
    DatagramPort port();

    /**
     * Receives the result of one read of the socket.
     *
     * @param in the data from position to limit, neither of which is moved; big-endian; owned by the driver and valid
     *     only during the call
     * @param coalesced whether the data may be several datagrams of the source (UDP_GRO), all of one size except that
     *     the last one may be shorter
     * @param source source address; valid only during the call
     * @param group the group of the socket, the same object as given to {@link DatagramDriver#join}; null for the
     *     port's own socket
     */
    void receive(
            ByteBuffer in, boolean coalesced, DatagramAddress source, @Nullable DatagramAddress group, long nowNanos);

    /**
     * Prepares output: after true, {@link #output} holds at least one datagram.
     *
     * @return false if there is nothing to send now
     */
    boolean prepareOutput(long nowNanos);

    /** {@return the datagrams to send, all to one destination} */
    DatagramBatch output();

    /**
     * The system has accepted datagrams from the beginning of {@link #output}.
     *
     * @param octets number of bytes, of whole datagrams
     */
    void onWritten(int octets, long nowNanos);

    /**
     * The system refuses the first datagram of {@link #output} permanently, for instance one larger than the MTU. It is
     * skipped.
     *
     * @param sentence the error of the system
     */
    void onUnsendable(String sentence, long nowNanos);

    /**
     * {@return the time in nanoseconds when pacing permits further output of {@link #prepareOutput};
     * {@link Long#MAX_VALUE} for never} In contrast to a timeout, the socket need not be read before that time, so a
     * port that receives continuously still sends at its pace.
     */
    default long nextSend() {
        return Long.MAX_VALUE;
    }

    /** {@return the time of the next {@link #onTimeout} in nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /**
     * The time of {@link #nextTimeout} has come, and all datagrams that the socket held by then have been passed to
     * {@link #receive}.
     */
    void onTimeout(long nowNanos);

    /**
     * The driver is about to close the sockets. After this call it only sends the remaining output of
     * {@link #prepareOutput}, as far as the system accepts it at once.
     */
    void onClosed(long nowNanos);
}
