package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection or a listener: {@code rdma_cm_id}.
 *
 * <p>An id with a {@link CmEventChannel} never waits: the outcome of each step is an event. A <em>synchronous</em> id
 * has no channel: {@link #resolveAddress}, {@link #connect}, {@link #getRequest} and {@link #accept} wait for their
 * outcome and throw on failure. Ids from {@link #getRequest} are synchronous too.
 *
 * <pre>
 *   active:   resolveAddress, createQueuePair, (post receives), connect, ... disconnect, close
 *   passive:  bind, listen, (CONNECT_REQUEST: on the new id) createQueuePair, (post receives), accept, ... close
 * </pre>
 *
 * <p>Threads: any.
 */
public interface CmId extends AutoCloseable {
    /** {@return the context} */
    Context context();

    /** {@return the event channel; null for a synchronous id} */
    @Nullable
    CmEventChannel channel();

    /**
     * Moves the id and its pending events to another channel.
     *
     * @param channel the new event channel; null makes the id synchronous
     */
    void migrate(@Nullable CmEventChannel channel);

    /** {@return the object that the program attached, or null: {@code context} of {@code rdma_cm_id}} */
    @Nullable
    Object attachment();

    /**
     * Attaches an object of the program.
     *
     * @param attachment any object of the program; null for none
     */
    void attach(@Nullable Object attachment);

    /**
     * Sets the local address to listen on or to connect from.
     *
     * @param local local address; port 0 for any free port
     * @throws RdmaException ADDRESS_NOT_AVAILABLE if the address is unresolved; WRONG_STATE
     */
    void bind(InetSocketAddress local);

    /**
     * Sets the peer to connect to. Event: ADDR_RESOLVED or ADDR_ERROR.
     *
     * @param source local address to connect from; null for any
     * @param destination address of the peer
     * @throws RdmaException WRONG_STATE; synchronous: ADDRESS_NOT_AVAILABLE if the host name is unknown
     */
    void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress destination);

    /**
     * Resolves the route. Optional, because IP finds the routes in iWARP. Event: ROUTE_RESOLVED.
     *
     * @throws RdmaException WRONG_STATE
     */
    void resolveRoute();

    /**
     * Creates a queue pair for this id, in state INIT: receives can be posted.
     *
     * @param domain protection domain of the queue pair
     * @param attributes attributes of the queue pair
     * @return the queue pair; closing the id closes it
     * @throws RdmaException WRONG_STATE if the id has a queue pair; as {@link ProtectionDomain#createQueuePair}
     */
    QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes);

    /**
     * Sets the queue pair of this id: one from {@link ProtectionDomain#createQueuePair}, or one whose earlier
     * connection has ended. The program keeps ownership: closing the id ends the connection but does not close the
     * queue pair.
     *
     * @param queuePair the queue pair; it must be in state INIT at connect or accept
     * @throws RdmaException WRONG_STATE if the id has a queue pair; INVALID_ARGUMENT if the queue pair belongs to
     *     another context
     */
    void useQueuePair(QueuePair queuePair);

    /** {@return the queue pair, or null if there is none} */
    @Nullable
    QueuePair queuePair();

    /**
     * Connects. Event: ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR.
     *
     * @param parameters private data, read depths, timeout
     * @throws RdmaException WRONG_STATE without destination or queue pair; INVALID_ARGUMENT for parameters out of
     *     range; synchronous: CONNECTION_REFUSED, UNREACHABLE, REJECTED, TIMED_OUT, CLOSED_BY_PEER, PROTOCOL_MISMATCH,
     *     NO_AGREEMENT, INTERRUPTED
     */
    void connect(ConnectionParameters parameters);

    /** Connects with {@link ConnectionParameters#DEFAULT}; otherwise as {@link #connect(ConnectionParameters)}. */
    default void connect() {
        connect(ConnectionParameters.DEFAULT);
    }

    /**
     * Listens on the bound address. Requests arrive as CONNECT_REQUEST or from {@link #getRequest}.
     *
     * @param backlog maximum number of requests that wait for the program. Beyond it a request is rejected: the new
     *     one, or the oldest one of the source with the most waiting requests. 0 for the default of the device.
     * @throws RdmaException ADDRESS_IN_USE, ADDRESS_NOT_AVAILABLE, PERMISSION_DENIED, LIMIT_REACHED, WRONG_STATE
     */
    void listen(int backlog);

    /**
     * Listens together with {@code other}, usually an id of another context: their port's connections are distributed
     * over all ids that share the port. So several threads, each with its own inline context, serve one port. The owner
     * of the port is the id that was bound: {@code other}, or the owner of its port. Each connection goes to the
     * context with the fewest connections, round-robin among equals, before any of its bytes are read; CONNECT_REQUEST
     * comes there, and no other thread handles the connection. The thread of the owner accepts all connections, so it
     * must poll or wait.
     *
     * <p>A context that has reached a limit of connections (in total or per source) gets no more; connections that wait
     * for its thread count. A connection is reset only if no context has room. A program that rejects requests has few
     * connections and so gets most of the new ones: close this id while the program wants none.
     *
     * <p>A context whose thread neither polls nor waits gets at most {@code backlog} connections. When this id or its
     * context is closed, connections that its thread has not taken go to the other contexts; those without room are
     * reset and counted as {@code tcp_not_taken_over}. Closing the owner closes the port: no id gets further
     * connections, and none can join.
     *
     * @param other a listening id of any context of this process with inline progress
     * @param backlog as for {@link #listen}; also the maximum number of connections that wait for the thread of this
     *     context
     * @throws RdmaException NOT_SUPPORTED if one of the two contexts is threaded or simulated (a threaded context
     *     distributes its connections over its event loops); WRONG_STATE if {@code other} does not listen, the owner of
     *     the port is closed, or this id was bound or used before
     */
    void listenWith(CmId other, int backlog);

    /**
     * Sets a function that chooses the id for each connection of a shared port, in place of the id whose context has
     * the fewest connections. This id must own the port: it was bound and {@link #listen listens}.
     *
     * @param chooser gets the peer's address before any byte of the connection is read. It returns this id or one that
     *     listens with it, or null for the default choice, which also applies if the chosen id has no room. The thread
     *     that accepts connections calls it, so it must not wait. An exception resets the connection.
     * @throws RdmaException WRONG_STATE if this id does not listen; NOT_SUPPORTED if this id does not own the port, or
     *     if its context is threaded or simulated (for event loops see {@link EventLoops#choosing})
     */
    void choosing(Function<InetSocketAddress, ? extends @Nullable CmId> chooser);

    /**
     * Synchronous listener: waits for a request.
     *
     * @param timeout how long to wait
     * @return a new id to accept or reject, which the caller closes; null after the timeout
     * @throws RdmaException WRONG_STATE if this id is not a synchronous listener; INTERRUPTED, CLOSED
     */
    @Nullable
    CmId getRequest(Duration timeout);

    /**
     * Accepts the request of this id. Event: ESTABLISHED or CONNECT_ERROR. Sends may be posted at once; they are sent
     * as soon as the protocol permits.
     *
     * @param parameters private data and read depths; depths beyond the limits of the device or the peer are reduced
     *     (RFC 6581 §9.1)
     * @throws RdmaException WRONG_STATE without queue pair or request; INVALID_ARGUMENT; CLOSED_BY_PEER, TIMED_OUT or
     *     NO_AGREEMENT if the request has failed meanwhile; synchronous: the same failures during the wait, and
     *     INTERRUPTED
     */
    void accept(ConnectionParameters parameters);

    /** Accepts with {@link ConnectionParameters#DEFAULT}; otherwise as {@link #accept(ConnectionParameters)}. */
    default void accept() {
        accept(ConnectionParameters.DEFAULT);
    }

    /**
     * Rejects the request of this id.
     *
     * @param privateData private data for the peer, for instance the reason; may be empty
     * @throws RdmaException WRONG_STATE, INVALID_ARGUMENT
     */
    void reject(byte[] privateData);

    /**
     * Disconnects in order: sends the posted requests, then closes the stream. Unanswered RDMA Reads and Atomics, and
     * receives, complete as WR_FLUSH_ERR. Event: DISCONNECTED, exactly once, after all posted requests have completed,
     * whichever peer disconnects. A synchronous id waits until the connection has ended, at most
     * {@code jwarp.rdmap.disconnect-timeout} plus the transport's linger time. During the set-up the call aborts the
     * set-up. Further calls have no effect.
     *
     * @throws RdmaException WRONG_STATE if the id never had a connection; synchronous: INTERRUPTED
     */
    void disconnect();

    /** {@return the last event of a synchronous id; null if there was none} */
    @Nullable
    CmEvent event();

    /** {@return the local address; null if there is none yet} */
    @Nullable
    InetSocketAddress localAddress();

    /** {@return the peer's address; null if there is none} */
    @Nullable
    InetSocketAddress remoteAddress();

    /**
     * Frees the id. A listener stops listening; an unanswered request is rejected; a connection is aborted; pending
     * events are dropped. A queue pair from {@link #createQueuePair} is closed. Further calls have no effect.
     */
    @Override
    void close();
}
