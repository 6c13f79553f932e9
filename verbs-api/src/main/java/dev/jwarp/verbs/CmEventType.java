package dev.jwarp.verbs;

/** What the connection manager reports; names and numbers of {@code rdma_cm_event_type}. */
public enum CmEventType {
    /** {@link CmId#resolveAddress} found a local device for the destination. */
    ADDR_RESOLVED(0, "the address was resolved"),
    /** {@link CmId#resolveAddress} failed. */
    ADDR_ERROR(1, "the address could not be resolved"),
    /** {@link CmId#resolveRoute} is done. */
    ROUTE_RESOLVED(2, "the route was resolved"),
    /** {@link CmId#resolveRoute} failed. */
    ROUTE_ERROR(3, "no route to the destination"),
    /** Listener: a peer asks for a connection; the event's id is new and to be accepted or rejected. */
    CONNECT_REQUEST(4, "a peer asks for a connection"),
    /** The peer accepted, and the id has no queue pair; iWARP needs one beforehand, so this never comes. */
    CONNECT_RESPONSE(5, "the peer accepted"),
    /** The set-up failed: the peer broke off, speaks another protocol, or asks what we cannot give. */
    CONNECT_ERROR(6, "the connection could not be set up"),
    /** Initiator: no such host, no route, or no answer in time. */
    UNREACHABLE(7, "the peer cannot be reached"),
    /**
     * Initiator: the peer said no, and its private data may say why. Or, as with Linux's iWARP devices, no program
     * listens there: {@link CmEvent#error} says which of the two.
     */
    REJECTED(8, "the peer rejected the connection"),
    /** Connected. */
    ESTABLISHED(9, "the connection is established"),
    /**
     * The connection ended. See {@link CmEvent#error} for what its end says about the peer, and what it does not say.
     */
    DISCONNECTED(10, "the connection ended"),
    /** The device is gone. */
    DEVICE_REMOVAL(11, "the device was removed"),
    /** The local address changed. */
    ADDR_CHANGE(14, "the local address changed"),
    /** Everything about the old connection is over; the queue pair may be used anew. */
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
