package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair without a connection: any number of peers, each named by an {@link AddressHandle} in the request that goes
 * to it. It is in RTS as soon as it is made, by local means only; no packet is sent. Made by
 * {@link ProtectionDomain#createDatagramQueuePair}.
 *
 * <p>What peers do wrong, and what the network loses, is counted and told by completions and async events; it never takes
 * the queue pair down. Beside {@link QueuePair#postSend(SendWorkRequest)}'s order, which holds per address handle, nothing
 * is ordered: RDMA Reads and receives complete when they are done. A place in the completion queue is set aside for each
 * request at its posting; {@link RdmaErrorCode#QUEUE_FULL} also says that there was none, so a completion queue cannot
 * overflow. It knows Send, RDMA Write, Write-Record and RDMA Read.
 *
 * <p>Threads: any, unless said otherwise.
 */
public interface DatagramQueuePair extends QueuePair {
    /** {@return {@link QueuePairType#UD} or {@link QueuePairType#RD}} */
    QueuePairType type();

    /** {@return the address of its UDP port, with the real port} */
    InetSocketAddress localAddress();

    /** {@return its Q_Key; peers need it beside address and {@link #number}} */
    int key();

    /** {@return what it was made with} */
    DatagramAttributes datagramAttributes();

    /** {@return octets the kernel granted for receiving; what comes faster than it is taken is lost beyond them} */
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
     * @param queuePairNumber 16 to 0xFFFFFE, or 0 for the default queue pair of that port (not RD)
     * @param key the Q_Key of that queue pair
     * @param pathMtu octets of IP packets, 576 to 65,535
     * @param pace octets per second; 0: as fast as the socket takes them, for controlled networks only (RFC 8085)
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
     * {@return a handle for the sender of what completed: {@code ibv_create_ah_from_wc}; the caller closes it}
     * Other handles say that their address is no stranger's; this one does not: whoever sent the message may have lied. So its
     * RDMA Reads are served when it has proved its address (datagram-iWARP §9).
     *
     * @param completion of a receive or a Write-Record
     * @param key the Q_Key of the sender, which a datagram does not tell
     * @throws RdmaException INVALID_ARGUMENT if the completion has no source
     */
    AddressHandle createAddressHandle(WorkCompletion completion, int key);

    /**
     * Joins a group: what is sent to it comes as if sent to this queue pair. UD only.
     *
     * @param group multicast or broadcast address and port; a port that no unicast queue pair uses
     * @param on the interface; null for the system's choice
     * @param key the Q_Key that all members share
     * @return a handle to send to the group by; the caller closes it. Only Sends and Write-Records may use it, up to 64 KiB.
     * @throws RdmaException INVALID_ARGUMENT, NOT_SUPPORTED (RD), ADDRESS_NOT_AVAILABLE
     */
    AddressHandle joinGroup(InetSocketAddress group, @Nullable NetworkInterface on, int key);

    /**
     * Leaves a group; handles for it stay.
     *
     * @param group that was joined
     */
    void leaveGroup(InetSocketAddress group);

    /**
     * RD: a peer that failed may be used again: until then all requests to it are flushed. UD: does nothing.
     *
     * @param peer that failed
     * @throws RdmaException INVALID_ARGUMENT if the handle is not of this queue pair
     */
    void resetPeer(AddressHandle peer);

    // ---- what has come, and what is missing

    /**
     * {@return which octets of a region have come by Write-Records that are still open, or whose completions are not yet
     * released: for programs that look at memory, not at completions. A copy; allocates}
     *
     * @param region where to look
     * @param offset octets from the start of the region
     * @param length octets
     */
    ValidityMap queryValidity(MemoryRegion region, int offset, int length);

    /**
     * Fills the holes of a message, whoever sent it: posts RDMA Reads for what {@code validity} says is missing. Holes that lie
     * close together are read as one, and more so if the queue has few places left. For an RDMA Read of ours that brought only a
     * part, {@link #retryRead} knows all that this has to be told.
     *
     * @param validity of a message that lies in memory as {@code whole} would read it
     * @param whole an RDMA Read of all of it, with one element; not posted itself. Each Read posted has its id.
     * @return how many Reads were posted, each of which completes; 0 if nothing is missing
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}; QUEUE_FULL if not all of them found a place:
     *     {@link RdmaException#posted} tells how many did
     */
    int readHoles(ValidityMap validity, SendWorkRequest whole);

    /**
     * Reads again what an RDMA Read of ours did not bring, which ended as {@link WorkCompletionStatus#PARTIAL} or
     * {@link WorkCompletionStatus#RESP_TIMEOUT_ERR}: its completion says from whom and where. Posts as {@link #readHoles}.
     *
     * @param completion of the Read, not yet released
     * @param timeout how long each of them waits for its data; null: {@link DatagramTimeouts#read}
     * @return how many Reads were posted
     * @throws RdmaException as {@link #readHoles}; INVALID_ARGUMENT if the completion does not tell what is missing
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
     * Reads a range of any length by many RDMA Reads: the receiver sets the pace, so that no more is on its way than half of
     * {@link #receiveBuffer}, and what is lost is read again. One completion with the id of {@code whole} comes at the end:
     * SUCCESS, PARTIAL if after {@code rounds} something is missing still, or the error that a Read met.
     *
     * @param whole an RDMA Read with one element; it takes one place of the send queue for each Read on its way. Its
     *     time-out is that of each Read
     * @param rounds how often what is missing is read again, 0 to 1,000
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}
     */
    void readAll(SendWorkRequest whole, int rounds);

    // ---- what did not come

    /**
     * {@return from whom datagrams were dropped at this queue pair's port, be they for this queue pair or another: as many
     * sources as {@code jwarp.udp.sources} says, the one dropped from last first} Allocates.
     */
    List<DroppedSource> droppedSources();

    /**
     * {@return the datagrams that the system dropped at this queue pair's port because its buffer was full; empty if the
     * system does not tell: only Linux does} Slow: reads a file.
     */
    OptionalLong systemDrops();

    // ---- time-outs

    /** {@return how long it waits for what may never come} */
    DatagramTimeouts timeouts();

    /**
     * Sets how long it waits, for messages and Reads that begin after this call.
     *
     * @param values the new values
     */
    void timeouts(DatagramTimeouts values);
}
