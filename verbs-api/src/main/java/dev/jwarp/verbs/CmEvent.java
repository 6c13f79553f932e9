package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Something happened to a connection id: {@code rdma_cm_event}. Immutable; needs no acknowledgement. Threads: any.
 */
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
     * @param type what happened
     * @param id what it happened to; for CONNECT_REQUEST a new id
     * @param listenId for CONNECT_REQUEST the listener, else null
     * @param error why it went wrong, or null if it did not
     * @param sentence for a person to read
     * @param parameters of the peer
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

    /** {@return what happened} */
    public CmEventType type() {
        return type;
    }

    /** {@return what it happened to; for CONNECT_REQUEST a new id, which the receiver of the event closes} */
    public CmId id() {
        return id;
    }

    /** {@return for CONNECT_REQUEST the listener, else null} */
    public @Nullable CmId listenId() {
        return listenId;
    }

    /**
     * {@return why it went wrong; null if nothing did}
     *
     * <p>A DISCONNECTED without error: both ends closed, and no RDMA Read or Atomic of this side was left without its
     * answer. That does not mean that the peer's program wanted the end: when a process is killed, its system closes
     * its connections as an orderly end does (TCP: FIN). Only the program's own protocol can say whether the
     * conversation was complete; {@link #sentence} says how many posted receives came back without a message.
     *
     * <p>A DISCONNECTED with {@link RdmaErrorCode#TIMED_OUT}: the peer did not answer for longer than its {@link
     * KeepAlive} allows, or took no bytes for longer than {@code jwarp.tcp.send-timeout}. With {@link RdmaErrorCode#DISCONNECTED}: it ended in any other way.
     */
    public @Nullable RdmaErrorCode error() {
        return error;
    }

    /** {@return 0 if nothing went wrong, else -1: {@link #error} and {@link #sentence} say what} */
    public int status() {
        return error == null ? 0 : -1;
    }

    /** {@return what happened and with which peer, for a person to read} */
    public String sentence() {
        return sentence;
    }

    /**
     * {@return what the peer said, for CONNECT_REQUEST, ESTABLISHED and REJECTED: its private data and its read depths.
     * The depths are seen from our side, so that they can be passed to accept: responder resources is what it asks of
     * us (its ORD), initiator depth is what it allows us (its IRD); -1 where it did not say}
     */
    public ConnectionParameters parameters() {
        return parameters;
    }

    @Override
    public String toString() {
        return type + " (" + type.number() + "): " + sentence;
    }
}
