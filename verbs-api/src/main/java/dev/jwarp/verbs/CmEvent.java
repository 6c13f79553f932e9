package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/** An event of a connection id: {@code rdma_cm_event}. Immutable; needs no acknowledgement. Threads: any. */
public final class CmEvent {
    private final CmEventType type;
    private final CmId id;
    private final @Nullable CmId listenId;
    private final @Nullable RdmaErrorCode error;
    private final String sentence;
    private final ConnectionParameters parameters;

    /**
     * For providers.
     *
     * @param type type of the event
     * @param id connection id of the event; a new id for CONNECT_REQUEST
     * @param listenId the listener for CONNECT_REQUEST; otherwise null
     * @param error kind of failure; null for none
     * @param sentence description for people
     * @param parameters parameters of the peer
     */
    public CmEvent(
            CmEventType type,
            CmId id,
            @Nullable CmId listenId,
            @Nullable RdmaErrorCode error,
            String sentence,
            ConnectionParameters parameters) {
        this.type = type;
        this.id = id;
        this.listenId = listenId;
        this.error = error;
        this.sentence = sentence;
        this.parameters = parameters;
    }

    /** {@return the type of the event} */
    public CmEventType type() {
        return type;
    }

    /** {@return the connection id; for CONNECT_REQUEST a new id, which the receiver of the event closes} */
    public CmId id() {
        return id;
    }

    /** {@return the listener for CONNECT_REQUEST; otherwise null} */
    public @Nullable CmId listenId() {
        return listenId;
    }

    /**
     * {@return the kind of failure; null if there was none}
     *
     * <p>DISCONNECTED without error: both peers closed the connection in order, and every RDMA Read and Atomic of this
     * side was answered. The peer's program need not have wanted that: when a process is killed, its operating system
     * closes its connections with a FIN, like an orderly close. Only the program's own protocol can tell whether the
     * conversation was complete; {@link #sentence} contains the number of posted receives that were flushed.
     *
     * <p>DISCONNECTED with {@link RdmaErrorCode#TIMED_OUT}: the peer did not answer within the times of
     * {@link KeepAlive}, or accepted no bytes for {@code jwarp.tcp.stall-timeout}. DISCONNECTED with
     * {@link RdmaErrorCode#DISCONNECTED}: the connection ended in any other way.
     */
    public @Nullable RdmaErrorCode error() {
        return error;
    }

    /** {@return 0 without failure, otherwise -1; see {@link #error} and {@link #sentence}} */
    public int status() {
        return error == null ? 0 : -1;
    }

    /** {@return a description of the event and its peer, for people} */
    public String sentence() {
        return sentence;
    }

    /**
     * {@return private data and read depths of the peer, for CONNECT_REQUEST, ESTABLISHED and REJECTED} The depths are
     * those of this side, ready for {@link CmId#accept}: responder resources is the ORD of the peer, initiator depth is
     * the IRD of the peer. A depth that the peer did not send is -1.
     */
    public ConnectionParameters parameters() {
        return parameters;
    }

    @Override
    public String toString() {
        return type + " (" + type.number() + "): " + sentence;
    }
}
