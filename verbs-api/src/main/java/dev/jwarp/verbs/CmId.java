package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection or a listener, from its first step to its end: {@code rdma_cm_id}.
 *
 * <p>An id made with a {@link CmEventChannel} never waits: each step's outcome is an event. A <em>synchronous</em> id
 * (made without one) waits in {@link #resolveAddress}, {@link #connect}, {@link #getRequest} and {@link #accept} for the
 * outcome, and throws if it is not the hoped-for one; ids that a synchronous listener's {@link #getRequest} gives are
 * synchronous too.
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

    /** {@return the channel, or null for a synchronous id} */
    @Nullable
    CmEventChannel channel();

    /**
     * Moves the id, with its events not yet taken, to another channel; null makes it synchronous.
     *
     * @param channel where its events come from now on; null makes it synchronous
     */
    void migrate(@Nullable CmEventChannel channel);

    /** {@return what the program attached, or null: the id's {@code context}} */
    @Nullable
    Object attachment();

    /**
     * Attaches an object of the program.
     *
     * @param attachment any object of the program; null for none
     */
    void attach(@Nullable Object attachment);

    /**
     * Says which local address to listen on or to connect from.
     *
     * @param local port 0 lets the system choose
     * @throws RdmaException ADDRESS_NOT_AVAILABLE if the address is unresolved; WRONG_STATE
     */
    void bind(InetSocketAddress local);

    /**
     * Says which peer to connect to. Event: ADDR_RESOLVED or ADDR_ERROR.
     *
     * @param source the local address to connect from; null for any
     * @param destination the peer
     * @throws RdmaException WRONG_STATE; synchronous: ADDRESS_NOT_AVAILABLE if the host name is unknown
     */
    void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress destination);

    /**
     * Event: ROUTE_RESOLVED. In iWARP IP finds the routes, so this step may be left out.
     *
     * @throws RdmaException WRONG_STATE
     */
    void resolveRoute();

    /**
     * Makes a queue pair for this id, in state INIT: receives can be posted.
     *
     * @param domain the queue pair may use the memory of this domain
     * @param attributes what it is made with
     * @return the queue pair; closed with the id
     * @throws RdmaException WRONG_STATE if it has one; as {@link ProtectionDomain#createQueuePair}
     */
    QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes);

    /**
     * Takes a queue pair that the program made with {@link ProtectionDomain#createQueuePair}, or one whose earlier connection
     * is over. It must be in state INIT when it is to be connected, and stays the program's: closing the id ends the
     * connection, but does not close the queue pair.
     *
     * @param queuePair in state INIT when it is to be connected
     * @throws RdmaException WRONG_STATE if the id has a queue pair; INVALID_ARGUMENT if it is of another context
     */
    void useQueuePair(QueuePair queuePair);

    /** {@return the queue pair, or null if there is none} */
    @Nullable
    QueuePair queuePair();

    /**
     * Connects. Event: ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR.
     *
     * @param parameters private data, read depths, time-out
     * @throws RdmaException WRONG_STATE without destination or queue pair; INVALID_ARGUMENT for parameters out of range;
     *     synchronous: CONNECTION_REFUSED, UNREACHABLE, REJECTED, TIMED_OUT, CLOSED_BY_PEER, PROTOCOL_MISMATCH,
     *     NO_AGREEMENT, INTERRUPTED
     */
    void connect(ConnectionParameters parameters);

    /** Connects with {@link ConnectionParameters#DEFAULT}; otherwise as {@link #connect(ConnectionParameters)}. */
    default void connect() {
        connect(ConnectionParameters.DEFAULT);
    }

    /**
     * Listens on the address bound. Requests come as CONNECT_REQUEST, or by {@link #getRequest}.
     *
     * @param backlog requests that may wait to be taken; beyond that the newest is turned away, or the oldest of the
     *     source that has most of them waiting; 0 for the device's default
     * @throws RdmaException ADDRESS_IN_USE, ADDRESS_NOT_AVAILABLE, PERMISSION_DENIED, LIMIT_REACHED, WRONG_STATE
     */
    void listen(int backlog);

    /**
     * Listens where {@code other} listens, mostly an id of another context: connections that come there are divided among the id that
     * has the port and all ids that listen with it. The id that has the port is the one that was bound: {@code other}, or, if that
     * listens with another id itself, the one of that. Each connection goes to the context that has fewest, to the next in turn where
     * several have as few, and belongs to that one from its first byte on: CONNECT_REQUEST comes there, and no other thread has to do
     * with it. So several threads, each with an inline context of its own, serve one port. The thread of the id that has the port
     * takes all connections from the system; it has to poll or wait.
     *
     * <p>A context that has reached a limit of connections (all, or those of one source) gets no more; those that wait for its thread
     * count. A connection is reset only if no context has room. A program that refuses requests, by {@link #reject} or by closing
     * their ids, has few connections, and so is given most of those that come: let it close this id while it wants none.
     *
     * <p>A context whose thread does not come is given as many connections as its backlog says. What it has not come to when this id or
     * its context is closed goes to the others; what none of them has room for is reset, and counted as {@code tcp_not_taken_over}.
     * When the id that has the port is closed, the port is closed too: nothing more comes to any of them, and none can join.
     *
     * @param other an id that listens; of any context of this process with inline progress
     * @param backlog as for {@link #listen}; also connections that may wait for the thread of this context
     * @throws RdmaException NOT_SUPPORTED if the context of one of the two is threaded or simulated: a threaded one divides its
     *     connections among its event loops; WRONG_STATE if {@code other} does not listen, the id that has the port was closed, or
     *     this id was bound or used before
     */
    void listenWith(CmId other, int backlog);

    /**
     * Says which of the ids that listen at one port takes each connection that comes there, in place of the one whose context has fewest: this id,
     * or one that listens with it. For programs that know which of their threads is to have it. This id has the port: it was bound, and {@link
     * #listen listens}.
     *
     * @param chooser is given the peer's address, before anything of the connection is read; answers with an id, or null for the one it would
     *     have without a choice, as it does where that id has no room. Called by the thread that takes connections from the system, and must not
     *     wait; what it throws resets the connection
     * @throws RdmaException WRONG_STATE if this id does not listen; NOT_SUPPORTED if it listens with another one, or its context is threaded or
     *     simulated: for event loops there is {@link EventLoops#choosing}
     */
    void choosing(Function<InetSocketAddress, ? extends @Nullable CmId> chooser);

    /**
     * Synchronous listener: waits for a request.
     *
     * @param timeout how long to wait
     * @return a new id, to be accepted or rejected; the caller closes it. Null if none came in time: look before you use it
     * @throws RdmaException WRONG_STATE if this is no synchronous listener; INTERRUPTED, CLOSED
     */
    @Nullable
    CmId getRequest(Duration timeout);

    /**
     * Accepts the request that made this id. Event: ESTABLISHED or CONNECT_ERROR. Sends may be posted at once; they leave
     * when the protocol allows.
     *
     * @param parameters read depths larger than ours or the peer's are fitted (RFC 6581 §9.1)
     * @throws RdmaException WRONG_STATE without queue pair or request; INVALID_ARGUMENT; CLOSED_BY_PEER, TIMED_OUT or
     *     NO_AGREEMENT if the request has failed meanwhile; synchronous: those at any time, and INTERRUPTED
     */
    void accept(ConnectionParameters parameters);

    /** Accepts with {@link ConnectionParameters#DEFAULT}; otherwise as {@link #accept(ConnectionParameters)}. */
    default void accept() {
        accept(ConnectionParameters.DEFAULT);
    }

    /**
     * Refuses the request that made this id.
     *
     * @param privateData for the peer, may say why; may be empty
     * @throws RdmaException WRONG_STATE, INVALID_ARGUMENT
     */
    void reject(byte[] privateData);

    /**
     * Ends the connection in order: what was posted is sent first, then the stream is closed; RDMA Reads and Atomics
     * that have no answer, and receives, come back as WR_FLUSH_ERR. Event: DISCONNECTED, once, whichever end began,
     * when everything posted has come back. A synchronous id waits until the connection is over, which takes no longer
     * than {@code jwarp.rdmap.disconnect-timeout} and the transport's linger time. More calls do nothing. A call while
     * the connection is still being set up stops the set-up.
     *
     * @throws RdmaException WRONG_STATE if there never was a connection; synchronous: INTERRUPTED
     */
    void disconnect();

    /** {@return the last event of a synchronous id, or null} */
    @Nullable
    CmEvent event();

    /** {@return our address; null if there is none yet} */
    @Nullable
    InetSocketAddress localAddress();

    /** {@return the peer's address; null if there is none} */
    @Nullable
    InetSocketAddress remoteAddress();

    /**
     * Frees the id. A listener stops listening, a request that was not answered is rejected, a connection is aborted; events
     * not yet taken are dropped. A queue pair that it made is closed with it. More calls do nothing.
     */
    @Override
    void close();
}
