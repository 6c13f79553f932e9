package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One UDP port: a socket, and the queue pairs that share it, told apart by their numbers. Any thread. */
public interface DatagramPort extends AutoCloseable {
    /** {@return the bound address, with the real port} */
    InetSocketAddress localAddress();

    /**
     * Attaches a queue pair; {@link DatagramUpperLayer#onAttached} follows.
     *
     * @param queuePairNumber 16 to 0xFFFFFE, unique on this port
     * @param key its Q_Key
     * @param byDefault whether datagrams for {@link Shim#DEFAULT_QPN} are for it
     * @throws dev.jwarp.ddp.llp.LlpException if the number, or the place of the default queue pair, is taken
     */
    DatagramLowerLayer attach(
            DatagramService service, int queuePairNumber, int key, boolean byDefault, DatagramUpperLayer upper);

    /**
     * Knows a peer's address from now on, as this side itself wants to talk to it: it is answered as one that has proved itself,
     * but gets no Read data without a proof. Counted: see {@link #forget}.
     *
     * @param address kept, so it must not be set to another any more
     */
    void trust(DatagramAddress address);

    /** Takes one {@link #trust} back. */
    void forget(DatagramAddress address);

    /**
     * {@return whether an address is that of a group: multicast, or broadcast, in all networks or in one that this host is on} Any
     * thread; may ask the system. It is resolved.
     */
    default boolean group(InetSocketAddress address) {
        return DatagramAddress.of(address).group();
    }

    /**
     * Joins a group: a socket of its own, whose datagrams go to all queue pairs of this port that joined with their Q_Key.
     *
     * @param queuePairNumber of a queue pair of this port
     * @param group multicast or broadcast address and port
     * @param on the interface; null for the system's choice
     * @throws dev.jwarp.ddp.llp.LlpException if the group cannot be joined
     */
    void join(int queuePairNumber, InetSocketAddress group, @Nullable NetworkInterface on, int key);

    /**
     * Sets how datagrams to groups leave this port, whoever of its queue pairs sends them. As {@link DatagramDriver#sendToGroups}.
     *
     * @throws dev.jwarp.ddp.llp.LlpException if they cannot leave so
     */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop);

    /** Leaves a group that the queue pair joined. */
    void leave(int queuePairNumber, InetSocketAddress group);

    /**
     * Answers those who ask this port for a service with where it is, always the same; the port has a resolver from now on
     * (datagram-iWARP §10).
     *
     * @throws dev.jwarp.ddp.llp.LlpException if this service is answered for already
     */
    AutoCloseable listen(long serviceId, ServiceAnswer answer);

    /**
     * The same, but {@code responder} is asked, on the owner, once per question; unless a setting says otherwise only for
     * sources that have proved their address.
     */
    AutoCloseable listen(long serviceId, ServiceResponder responder);

    /**
     * Asks the resolver of another port. The question is repeated until an answer comes or the time is over.
     *
     * @param privateData at most {@link ServiceAnswer#MAXIMUM_PRIVATE_DATA} octets
     * @param handler told once, on the owner
     * @return ends the asking, without a word to the handler, if it still goes on
     */
    AutoCloseable resolve(
            InetSocketAddress where,
            long serviceId,
            Set<DatagramService> wanted,
            byte[] privateData,
            long timeoutNanos,
            Consumer<ServiceAnswer> handler);

    /**
     * Has what comes here and is none of datagram-iWARP handed to a program: what is too short for one, or has another CRC. Also what
     * comes to a group that was joined here.
     *
     * @param taker null: it is dropped and counted, as at first
     * @throws IllegalStateException if such datagrams cannot be told apart here; the message says why
     */
    void takePlain(@Nullable PlainTaker taker);

    /**
     * Sends a plain datagram, which IP may cut into fragments. It leaves with the port's next output, and may be lost.
     *
     * @param octets 1 to 65,507; copied
     * @return whether there was room for it; if not, nothing was done
     */
    boolean sendPlain(ByteBuffer octets, DatagramAddress to);

    /** {@return the octets the kernel granted for receiving (SO_RCVBUF)} */
    int receiveBuffer();

    /**
     * Reports the sources of dropped datagrams: a bounded number of sources, the one dropped from last comes first.
     *
     * @param handler told once, on the owner; never if the port is closed
     */
    void sourceDrops(Consumer<List<SourceDrops>> handler);

    /** {@return the datagrams that the system dropped at this port before they were read; -1 if it does not say} */
    long systemDrops();

    /** Detaches all queue pairs, then closes the socket. */
    @Override
    void close();
}
