package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair without a connection. It exchanges messages with any number of peers; the {@link AddressHandle} in a
 * work request names the peer. A new queue pair is in state RTS at once; its creation sends no packet. Created by
 * {@link ProtectionDomain#createDatagramQueuePair}.
 *
 * <p>Errors of peers and losses of the network are counted and are reported by completions and async events; they never
 * stop the queue pair. Sends complete in the order of {@link QueuePair#postSend(SendWorkRequest)} per address handle.
 * RDMA Reads and receives complete in any order. Posting reserves a place in the completion queue for each request, so
 * a completion queue cannot overflow; {@link RdmaErrorCode#QUEUE_FULL} also means that no place was free. The
 * operations are Send, Write-Record and RDMA Read, and RDMA Write on RD.
 *
 * <p>Threads: any, unless stated otherwise.
 */
public interface DatagramQueuePair extends QueuePair {
    /** {@return {@link QueuePairType#UD} or {@link QueuePairType#RD}} */
    QueuePairType type();

    /** {@return the address of the UDP port, with the actual port number} */
    InetSocketAddress localAddress();

    /** {@return the Q_Key; peers need it together with the address and {@link #number}} */
    int key();

    /** {@return the datagram attributes that the queue pair was created with} */
    DatagramAttributes datagramAttributes();

    /**
     * {@return the size of the kernel's receive buffer in bytes; the kernel drops datagrams while the buffer is full}
     */
    int receiveBuffer();

    // ---- peers

    /**
     * {@return a handle for a peer, with the path MTU of the queue pair and without pacing; the caller closes it}
     *
     * @param address resolved address of the peer
     * @param queuePairNumber number of the peer's queue pair
     * @param key Q_Key of the peer's queue pair
     */
    AddressHandle createAddressHandle(InetSocketAddress address, int queuePairNumber, int key);

    /**
     * {@return a handle for a peer; the caller closes it}
     *
     * @param address resolved address of the peer
     * @param queuePairNumber number of the peer's queue pair: 16 to 0xFFFFFE; 0 for the default queue pair of the
     *     peer's port (UD); 0xFFFFFF to send to a group without joining it (UD)
     * @param key Q_Key of the peer's queue pair
     * @param pathMtu size of IP packets in bytes, 576 to 65,535; 0 discovers the path MTU (RFC 8899)
     * @param pace bytes per second; 0 sends as fast as the socket accepts, for controlled networks only (RFC 8085)
     * @throws RdmaException INVALID_ARGUMENT if an argument is out of range; CLOSED
     */
    AddressHandle createAddressHandle(InetSocketAddress address, int queuePairNumber, int key, int pathMtu, long pace);

    /**
     * {@return a handle for a resolved service; the caller closes it}
     *
     * @param found the result of {@link Context#resolve}
     */
    default AddressHandle createAddressHandle(ResolvedService found) {
        RdmaException.requireArgument(found, "found");
        return createAddressHandle(found.address(), found.queuePairNumber(), found.key());
    }

    /**
     * {@return a handle for the sender of a completed message: {@code ibv_create_ah_from_wc}; the caller closes it} The
     * source address of a message may be forged. So RDMA Reads of this sender are answered only after its address is
     * validated (datagram-iWARP §9). The addresses of all other handles count as trusted by the program.
     *
     * @param completion completion of a receive or a Write-Record
     * @param key Q_Key of the sender; datagrams do not carry it
     * @throws RdmaException INVALID_ARGUMENT if the completion has no source
     */
    AddressHandle createAddressHandle(WorkCompletion completion, int key);

    /**
     * Joins a group: this queue pair receives the messages sent to the group. UD only.
     *
     * @param group multicast or broadcast address with a port: the port of this queue pair, or a port that no queue
     *     pair at the wildcard address uses
     * @param on network interface; null leaves the choice to the operating system
     * @param key Q_Key that all members share
     * @return a handle to send to the group; the caller closes it. The handle is for Sends and Write-Records of at most
     *     64 KiB.
     * @throws RdmaException INVALID_ARGUMENT, NOT_SUPPORTED (RD), ADDRESS_NOT_AVAILABLE
     */
    AddressHandle joinGroup(InetSocketAddress group, @Nullable NetworkInterface on, int key);

    /**
     * Sets how the port of this queue pair sends datagrams to groups; the setting applies to all queue pairs of the
     * port. Before the first call, {@code jwarp.udp.multicast-ttl} and {@code jwarp.udp.multicast-loop} apply, and
     * datagrams leave through the interface of the port's own address, or through the interface on which a group was
     * joined last. Requests already posted may be sent with the old or the new values.
     *
     * @param through network interface; null keeps the present one. After an interface is set, {@link #joinGroup} does
     *     not change it.
     * @param hops hop limit, 0 to 255: 0 for this host only, 1 for the local network
     * @param loop whether members on this host receive the datagrams too
     * @throws RdmaException INVALID_ARGUMENT; ADDRESS_NOT_AVAILABLE if the interface cannot send to groups; CLOSED
     */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop);

    /**
     * Leaves a group. Handles for the group stay usable.
     *
     * @param group the group to leave
     */
    void leaveGroup(InetSocketAddress group);

    /**
     * RD: permits requests to a failed peer again. Until this call all requests to the peer are flushed. UD: no effect.
     *
     * @param peer handle of the failed peer
     * @throws RdmaException INVALID_ARGUMENT if the handle belongs to another queue pair
     */
    void resetPeer(AddressHandle peer);

    // ---- plain datagrams

    /**
     * Sets the handler for plain UDP datagrams: datagrams received on this port that are not datagram-iWARP, because
     * they are too short or their CRC does not match. Without a handler they are dropped and counted. A plain datagram
     * is not authenticated, and a damaged datagram of datagram-iWARP looks like one. Plain datagrams to groups joined
     * on this port go to the handler too.
     *
     * @param handler called until the queue pair is closed
     * @throws RdmaException INVALID_ARGUMENT if this is not the default queue pair of its port; NOT_SUPPORTED if
     *     {@code jwarp.udp.segmentation} of the context is {@code on} or {@code receive}, or the context has keys; CLOSED
     */
    void onPlain(PlainDatagramHandler handler);

    /**
     * Sends a plain UDP datagram from the port of this queue pair. Pacing, order and completions of the queue pair do
     * not apply to it. As with UDP, the datagram is sent soon, possibly in IP fragments, or is lost.
     *
     * @param datagram 1 to 65,507 bytes (IPv6: 1 to 65,527) from position to limit; copied, and the position moves to
     *     the limit
     * @param to resolved address of the receiver
     * @return false if there was no room for the datagram; its position is unchanged then
     * @throws RdmaException INVALID_ARGUMENT for an invalid length or address; NOT_SUPPORTED if the context has keys;
     *     CLOSED
     */
    boolean sendPlain(ByteBuffer datagram, InetSocketAddress to);

    // ---- received and missing bytes

    /**
     * {@return the bytes of a region that Write-Records have filled, as a copy; allocates} It covers Write-Records that
     * are still incomplete and those whose completion is not yet released. For programs that watch memory instead of
     * completions.
     *
     * @param region the region
     * @param offset bytes from the start of the region
     * @param length length of the range in bytes
     */
    ValidityMap queryValidity(MemoryRegion region, long offset, long length);

    /**
     * Fills the holes of a message of any sender: posts RDMA Reads for the bytes missing in {@code validity}. One Read
     * covers holes that are close together; the fewer free places the queue has, the more holes share a Read. For a
     * partial RDMA Read of this side, {@link #retryRead} is simpler: it needs only the completion.
     *
     * @param validity validity map of a message at the memory that {@code whole} would read into
     * @param whole an RDMA Read of the whole message, with one element; not posted itself. Each posted Read has the id
     *     of {@code whole}.
     * @return the number of Reads posted, each of which completes; 0 if nothing is missing
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}; QUEUE_FULL if only some of the Reads were posted:
     *     {@link RdmaException#posted} is their number
     */
    int readHoles(ValidityMap validity, SendWorkRequest whole);

    /**
     * Reads the missing bytes of an RDMA Read again. The Read completed as {@link WorkCompletionStatus#PARTIAL} or
     * {@link WorkCompletionStatus#RESP_TIMEOUT_ERR}; its completion contains peer and addresses. Posts as
     * {@link #readHoles} does.
     *
     * @param completion completion of the Read, not yet released
     * @param timeout timeout of each posted Read; null for {@link DatagramTimeouts#read}
     * @return the number of Reads posted
     * @throws RdmaException as {@link #readHoles}; INVALID_ARGUMENT if the completion is not that of an incomplete Read
     */
    int retryRead(WorkCompletion completion, @Nullable Duration timeout);

    /**
     * As {@link #retryRead(WorkCompletion, Duration)}, with the timeout of the queue pair.
     *
     * @param completion completion of the Read, not yet released
     * @return the number of Reads posted
     */
    default int retryRead(WorkCompletion completion) {
        return retryRead(completion, null);
    }

    /**
     * Reads a range of any length with many RDMA Reads. The reader sets the pace: at most half of
     * {@link #receiveBuffer} is in flight. Lost bytes are read again. One completion with the id of {@code whole} comes
     * at the end: SUCCESS; PARTIAL if bytes are still missing after {@code rounds}; or the error of a failed Read.
     *
     * @param whole an RDMA Read with one element. Each Read in flight takes one place of the send queue and has the
     *     timeout of {@code whole}.
     * @param rounds maximum number of repetitions for missing bytes, 0 to 1,000
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}
     */
    void readAll(SendWorkRequest whole, int rounds);

    // ---- dropped datagrams

    /**
     * {@return the sources of dropped datagrams of this port, for this and other queue pairs, the most recent first; at
     * most {@code jwarp.udp.sources}} Allocates.
     */
    List<DroppedSource> droppedSources();

    /**
     * {@return the number of datagrams that the kernel dropped at this port because its receive buffer was full; empty
     * where the number is unavailable, that is on systems other than Linux} Slow: reads a file.
     */
    OptionalLong systemDrops();

    // ---- timeouts

    /** {@return the timeouts of incomplete messages and RDMA Reads} */
    DatagramTimeouts timeouts();

    /**
     * Sets the timeouts for messages and Reads that begin after this call.
     *
     * @param values the new timeouts
     */
    void timeouts(DatagramTimeouts values);
}
