package dev.jwarp.verbs;

/** Types of {@link CmEvent}. Names and numbers are those of {@code rdma_cm_event_type}. */
public enum CmEventType {
    /** {@link CmId#resolveAddress} found a local device for the destination. */
    ADDR_RESOLVED(0, "the address was resolved"),
    /** {@link CmId#resolveAddress} failed. */
    ADDR_ERROR(1, "the address could not be resolved"),
    /** {@link CmId#resolveRoute} succeeded. */
    ROUTE_RESOLVED(2, "the route was resolved"),
    /** {@link CmId#resolveRoute} failed. */
    ROUTE_ERROR(3, "no route to the destination"),
    /** Listener: a peer requests a connection. The program accepts or rejects the new id of the event. */
    CONNECT_REQUEST(4, "a peer asks for a connection"),
    /** The peer accepted and the id has no queue pair. Never used: iWARP needs the queue pair beforehand. */
    CONNECT_RESPONSE(5, "the peer accepted"),
    /** The set-up failed: the peer aborted it, speaks another protocol, or requests unsupported parameters. */
    CONNECT_ERROR(6, "the connection could not be set up"),
    /** Initiator: the host is unknown, there is no route, or no answer arrived in time. */
    UNREACHABLE(7, "the peer cannot be reached"),
    /**
     * Initiator: the peer rejected the connection, and its private data may contain the reason; or, as with Linux's
     * iWARP devices, no program listens on the port. {@link CmEvent#error} tells which.
     */
    REJECTED(8, "the peer rejected the connection"),
    /** The connection is established. */
    ESTABLISHED(9, "the connection is established"),
    /** The connection ended. {@link CmEvent#error} explains what this tells about the peer. */
    DISCONNECTED(10, "the connection ended"),
    /** The device is gone. */
    DEVICE_REMOVAL(11, "the device was removed"),
    /** The local address changed. */
    ADDR_CHANGE(14, "the local address changed"),
    /** All work of the ended connection is finished; the queue pair may be reused. */
    TIMEWAIT_EXIT(15, "the connection left its time-wait state");

    private final int number;
    private final String sentence;

    CmEventType(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** {@return the number of {@code rdma_cm_event_type}} */
    public int number() {
        return number;
    }

    /** {@return what happened, in words, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
