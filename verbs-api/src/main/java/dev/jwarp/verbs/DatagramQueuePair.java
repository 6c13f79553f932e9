package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair without a connection: any number of peers, each named by an {@link AddressHandle} in the request that goes
 * to it. It is in RTS as soon as it is made, by local means only; no packet is sent. Made by
 * {@link ProtectionDomain#createDatagramQueuePair}.
 *
 * <p>Faults of peers and losses of the network are counted, and reported by completions and async events; they never
 * stop the queue pair. The order of {@link QueuePair#postSend(SendWorkRequest)} holds per address handle. There is no
 * other order: RDMA Reads and receives complete when they are done. Posting reserves a place in the completion queue
 * for each request, so a completion queue cannot overflow; {@link RdmaErrorCode#QUEUE_FULL} also means that there was
 * no place. The operations are Send, RDMA Write, Write-Record and RDMA Read.
 *
 * <p>Threads: any, unless said otherwise.
 */
public interface DatagramQueuePair extends QueuePair {
    /** {@return {@link QueuePairType#UD} or {@link QueuePairType#RD}} */
    QueuePairType type();

    /** {@return the address of its UDP port, with the real port} */
    InetSocketAddress localAddress();

    /** {@return its Q_Key; peers need it together with address and {@link #number}} */
    int key();

    /** {@return what it was made with} */
    DatagramAttributes datagramAttributes();

    /** {@return the size of the kernel's receive buffer in bytes; datagrams that find it full are lost} */
    int receiveBuffer();

    // ---- peers

    /**
     * {@return a handle for a peer, with the path MTU of the queue pair and no pace; the caller closes it}
     *
     * @param address where the peer is, resolved
     * @param queuePairNumber the number of the queue pair there
     * @param key the Q_Key of the queue pair there
     */
    AddressHandle createAddressHandle(InetSocketAddress address, int queuePairNumber, int key);

    /**
     * {@return a handle for a peer; the caller closes it}
     *
     * @param address resolved
     * @param queuePairNumber 16 to 0xFFFFFE, or 0 for the default queue pair of that port (not RD); 0xFFFFFF for a group, to send to it without joining it (UD)
     * @param key the Q_Key of that queue pair
     * @param pathMtu bytes of IP packets, 576 to 65,535; 0 to find out what the path takes (RFC 8899)
     * @param pace bytes per second; 0: as fast as the socket takes them, for controlled networks only (RFC 8085)
     * @throws RdmaException INVALID_ARGUMENT if one of them is out of range; CLOSED
     */
    AddressHandle createAddressHandle(InetSocketAddress address, int queuePairNumber, int key, int pathMtu, long pace);

    /**
     * {@return a handle for what {@link Context#resolve} found; the caller closes it}
     *
     * @param found what the service said
     */
    default AddressHandle createAddressHandle(ResolvedService found) {
        RdmaException.requireArgument(found, "found");
        return createAddressHandle(found.address(), found.queuePairNumber(), found.key());
    }

    /**
     * {@return a handle for the sender of what completed: {@code ibv_create_ah_from_wc}; the caller closes it} With
     * other handles the program says that it trusts the address. With this one it does not: the sender of the message
     * may have forged its address. So its RDMA Reads are served only after it has proved its address (datagram-iWARP
     * §9).
     *
     * @param completion of a receive or a Write-Record
     * @param key the Q_Key of the sender, which is not in a datagram
     * @throws RdmaException INVALID_ARGUMENT if the completion has no source
     */
    AddressHandle createAddressHandle(WorkCompletion completion, int key);

    /**
     * Joins a group: what is sent to it comes as if sent to this queue pair. UD only.
     *
     * @param group multicast or broadcast address and port: the port of this queue pair, or one that no queue pair at the wildcard address has
     * @param on the interface; null for the system's choice
     * @param key the Q_Key that all members share
     * @return a handle to send to the group by; the caller closes it. Only Sends and Write-Records may use it, up to 64 KiB.
     * @throws RdmaException INVALID_ARGUMENT, NOT_SUPPORTED (RD), ADDRESS_NOT_AVAILABLE
     */
    AddressHandle joinGroup(InetSocketAddress group, @Nullable NetworkInterface on, int key);

    /**
     * Sets how datagrams to groups leave its port, whichever queue pair of the port sends them. Until then {@code jwarp.udp.multicast-ttl} and
     * {@code jwarp.udp.multicast-loop} say it, and they leave through the interface of the port's own address, or the one on which a group was joined last. What
     * is posted may leave before or after.
     *
     * @param through the interface; null leaves it as it is. Once there is one, {@link #joinGroup} does not change it any more
     * @param hops 0 to 255: how far they go; 0: not beyond this host, 1: the local network
     * @param loop whether members on this host get them, too
     * @throws RdmaException INVALID_ARGUMENT; ADDRESS_NOT_AVAILABLE if they cannot leave through that interface; CLOSED
     */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop);

    /**
     * Leaves a group; handles for it stay.
     *
     * @param group that was joined
     */
    void leaveGroup(InetSocketAddress group);

    /**
     * RD: allows a peer that failed to be used again; until this call all requests to it are flushed. UD: does nothing.
     *
     * @param peer that failed
     * @throws RdmaException INVALID_ARGUMENT if the handle is not of this queue pair
     */
    void resetPeer(AddressHandle peer);

    // ---- plain datagrams

    /**
     * Has plain datagrams of UDP handed to a program: what comes to its port and is none of datagram-iWARP, as it is too short or has another CRC. Without
     * a handler they are dropped and counted. Nothing is known of a plain datagram: anyone may have sent it, and one of datagram-iWARP that was damaged on its
     * way is one, too. What comes to a group that was joined at this port is handed over, too.
     *
     * @param handler called until the queue pair is closed
     * @throws RdmaException INVALID_ARGUMENT if it is not the default queue pair of its port; NOT_SUPPORTED if the context has {@code jwarp.udp.gro} on, or
     *     keys; CLOSED
     */
    void onPlain(PlainDatagramHandler handler);

    /**
     * Sends a plain datagram of UDP from its port. It takes no part in pace, order and completions of the queue pair: as with UDP, it leaves soon, whole or in
     * fragments of IP, or is lost.
     *
     * @param datagram 1 to 65,507 bytes, over IPv6 1 to 65,527, from position to limit; copied, the position moves to the limit
     * @param to where to, resolved
     * @return whether there was room for it; if not, the position stays
     * @throws RdmaException INVALID_ARGUMENT if there is no such length or address; NOT_SUPPORTED if the context has keys; CLOSED
     */
    boolean sendPlain(ByteBuffer datagram, InetSocketAddress to);

    // ---- what has come, and what is missing

    /**
     * {@return which bytes of a region have come by Write-Records that are still open, or that have a completion which
     * is not yet released: for programs that look at memory, not at completions. A copy; allocates}
     *
     * @param region where to look
     * @param offset bytes from the start of the region
     * @param length bytes
     */
    ValidityMap queryValidity(MemoryRegion region, long offset, long length);

    /**
     * Fills the holes of a message of any sender: posts RDMA Reads for what {@code validity} says is missing. Holes
     * that are close together are read as one; the fewer places the queue has left, the more holes are joined. For an
     * RDMA Read of ours that brought only a part, {@link #retryRead} is simpler: it needs only the completion.
     *
     * @param validity of a message that is in memory where {@code whole} would put it
     * @param whole an RDMA Read of all of it, with one element; not posted itself. Each Read posted has its id.
     * @return how many Reads were posted, each of which completes; 0 if nothing is missing
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}; QUEUE_FULL if not all of them found a place:
     *     {@link RdmaException#posted} says how many did
     */
    int readHoles(ValidityMap validity, SendWorkRequest whole);

    /**
     * Reads again what an RDMA Read of ours did not bring, which ended as {@link WorkCompletionStatus#PARTIAL} or
     * {@link WorkCompletionStatus#RESP_TIMEOUT_ERR}: its completion says from which peer and where. Posts as {@link
     * #readHoles}.
     *
     * @param completion of the Read, not yet released
     * @param timeout how long each of them waits for its data; null: {@link DatagramTimeouts#read}
     * @return how many Reads were posted
     * @throws RdmaException as {@link #readHoles}; INVALID_ARGUMENT if the completion does not say what is missing
     */
    int retryRead(WorkCompletion completion, @Nullable Duration timeout);

    /**
     * As {@link #retryRead(WorkCompletion, Duration)}, with the time-out of the queue pair.
     *
     * @param completion of the Read, not yet released
     * @return how many Reads were posted
     */
    default int retryRead(WorkCompletion completion) {
        return retryRead(completion, null);
    }

    /**
     * Reads a range of any length by many RDMA Reads. The receiver sets the pace: at most half of {@link
     * #receiveBuffer} is on its way at a time. What is lost is read again. One completion with the id of {@code whole}
     * comes at the end: SUCCESS, PARTIAL if something is still missing after {@code rounds}, or the error of a Read
     * that failed.
     *
     * @param whole an RDMA Read with one element; it takes one place of the send queue for each Read on its way. Its
     *     time-out is that of each Read
     * @param rounds how often what is missing is read again, 0 to 1,000
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}
     */
    void readAll(SendWorkRequest whole, int rounds);

    // ---- what did not come

    /**
     * {@return the sources of the datagrams that were dropped at this queue pair's port, for this queue pair or for
     * another: as many as {@code jwarp.udp.sources} says, the source of the newest dropped datagram first} Allocates.
     */
    List<DroppedSource> droppedSources();

    /**
     * {@return the datagrams that the system dropped at this queue pair's port because its buffer was full; empty if
     * the system does not say: only Linux does} Slow: reads a file.
     */
    OptionalLong systemDrops();

    // ---- time-outs

    /** {@return how long it waits for data that may never come} */
    DatagramTimeouts timeouts();

    /**
     * Sets how long it waits. Holds for messages and Reads that begin after this call.
     *
     * @param values the new values
     */
    void timeouts(DatagramTimeouts values);
}
