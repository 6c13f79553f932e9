package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One UDP port of a lower layer, without the socket: datagrams in, datagrams out, and a clock that is handed in. A driver
 * (sockets, an event loop, the simulator) moves the datagrams. One thread at a time.
 */
public interface DatagramEngine {
    /** {@return the port that this engine carries; the same object at every call} Any thread. */
    DatagramPort port();

    /**
     * What one read of the socket brought.
     *
     * @param in what came, from its position to its limit, neither of which is moved; big-endian; it belongs to the driver and
     *     is valid during this call only
     * @param coalesced whether the system may have put several datagrams of that source behind one another (UDP_GRO): all
     *     of one size, but the last, which may be shorter
     * @param source where it came from; valid during this call only
     * @param group the group whose socket it was, the very object given to {@link DatagramDriver#join}; null for the
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

    /** {@return what to send, all of it to one destination} */
    DatagramBatch output();

    /**
     * The system took datagrams from the beginning of {@link #output}.
     *
     * @param octets of whole datagrams
     */
    void onWritten(int octets, long nowNanos);

    /**
     * The system will never take the first datagram of {@link #output}, such as one beyond the MTU. It is left out.
     *
     * @param sentence what the system said
     */
    void onUnsendable(String sentence, long nowNanos);

    /**
     * {@return when {@link #prepareOutput} may have something that it has not now, because of a pace, nanoseconds; {@link
     * Long#MAX_VALUE} for never} That is no time-out: nothing has to be read before it, so a port that receives all the time sends
     * at its pace.
     */
    default long nextSend() {
        return Long.MAX_VALUE;
    }

    /** {@return when {@link #onTimeout} is wanted, nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /**
     * The time of {@link #nextTimeout} has come (or passed), and everything that the socket held by then has been given to
     * {@link #receive}.
     */
    void onTimeout(long nowNanos);

    /**
     * The driver is about to close the sockets. After this it only sends what {@link #prepareOutput} still gives, as far as
     * the system takes it at once.
     */
    void onClosed(long nowNanos);
}
