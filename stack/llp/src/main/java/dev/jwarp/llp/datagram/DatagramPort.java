package dev.jwarp.llp.datagram;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A UDP port: a socket and the queue pairs that share it, distinguished by their numbers. Any thread. */
public interface DatagramPort extends AutoCloseable {
    /** {@return the bound address, with the actual port number} */
    InetSocketAddress localAddress();

    /**
     * Attaches a queue pair; {@link DatagramUpperLayer#onAttached} follows.
     *
     * @param queuePairNumber 16 to 0xFFFFFE, unique on this port
     * @param key Q_Key of the queue pair
     * @param byDefault whether this is the default queue pair, for datagrams to {@link Shim#DEFAULT_QPN}
     * @throws dev.jwarp.llp.LlpException if the number is in use, or the port has a default queue pair already
     */
    DatagramLowerLayer attach(
            DatagramService service, int queuePairNumber, int key, boolean byDefault, DatagramUpperLayer upper);

    /**
     * Marks a peer's address as known, because this side sends to it: the peer is answered like a validated source, but
     * gets no Read data without validation. Counted: see {@link #forget}.
     *
     * @param address kept, so it must not be changed
     */
    void trust(DatagramAddress address);

    /** Reverts one {@link #trust}. */
    void forget(DatagramAddress address);

    /**
     * {@return whether a resolved address is that of a group: multicast, global broadcast, or broadcast in a network of
     * this host} Any thread; may query the system.
     */
    default boolean group(InetSocketAddress address) {
        return DatagramAddress.of(address).group();
    }

    /**
     * Joins a group with a separate socket. Its datagrams go to all queue pairs of this port that joined with their
     * Q_Key.
     *
     * @param queuePairNumber number of a queue pair of this port
     * @param group multicast or broadcast address and port
     * @param on the interface; null for the system's choice
     * @throws dev.jwarp.llp.LlpException if the group cannot be joined
     */
    void join(int queuePairNumber, InetSocketAddress group, @Nullable NetworkInterface on, int key);

    /**
     * Sets how this port sends datagrams to groups, for all its queue pairs. As {@link DatagramDriver#sendToGroups}.
     *
     * @throws dev.jwarp.llp.LlpException if the interface cannot send to groups
     */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop);

    /** Leaves a group that the queue pair joined. */
    void leave(int queuePairNumber, InetSocketAddress group);

    /**
     * Registers a service with a constant answer; the port has a resolver from now on (datagram-iWARP §R.4).
     *
     * @throws dev.jwarp.llp.LlpException if the service is registered already
     */
    AutoCloseable listen(long serviceId, ServiceAnswer answer);

    /**
     * Registers a service whose answers come from {@code responder}. The owner calls it once per request, by default
     * only for validated sources.
     */
    AutoCloseable listen(long serviceId, ServiceResponder responder);

    /**
     * Sends a request to the resolver of another port, and retransmits it until an answer arrives or the timeout
     * expires.
     *
     * @param privateData at most {@link ServiceAnswer#MAXIMUM_PRIVATE_DATA} bytes
     * @param handler called once, on the owner
     * @return cancels a pending request without a call of the handler
     */
    AutoCloseable resolve(
            InetSocketAddress where,
            long serviceId,
            Set<DatagramService> wanted,
            byte[] privateData,
            long timeoutNanos,
            Consumer<ServiceAnswer> handler);

    /**
     * Sets the receiver of datagrams that are not datagram-iWARP, because they are too short or their CRC does not
     * match, including those to groups joined here.
     *
     * @param taker the receiver; null drops and counts them, as by default
     * @throws IllegalStateException if such datagrams cannot be distinguished here; the message says why
     */
    void takePlain(@Nullable PlainTaker taker);

    /**
     * Sends a plain datagram, which IP may fragment. It is sent with the port's next output, and may be lost.
     *
     * @param octets 1 to 65,507 bytes; copied
     * @return false if there was no room for the datagram, which is not sent then
     */
    boolean sendPlain(ByteBuffer octets, DatagramAddress to);

    /** {@return the size of the kernel's receive buffer in bytes (SO_RCVBUF)} */
    int receiveBuffer();

    /**
     * Reports the sources of dropped datagrams: a bounded number, the most recent first.
     *
     * @param handler called once, on the owner; never if the port is closed
     */
    void sourceDrops(Consumer<List<SourceDrops>> handler);

    /** {@return the number of datagrams that the kernel dropped at this port; -1 if unknown} */
    long systemDrops();

    /** Detaches all queue pairs, then closes the socket. */
    @Override
    void close();
}
