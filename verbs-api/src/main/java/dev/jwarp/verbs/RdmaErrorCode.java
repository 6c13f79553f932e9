package dev.jwarp.verbs;

/**
 * The kinds of {@link RdmaException}. The names are stable: programs may branch on them. Each has the exit status that
 * a command line tool gives it: 1 ran but failed, 2 usage, 3 could not set up, 4 the peer does not fit, 5 a bug.
 */
public enum RdmaErrorCode {
    /** An argument is out of range or contradicts another. */
    INVALID_ARGUMENT(2),
    /** A {@code jwarp.*} setting has a value that it does not take. */
    INVALID_SETTING(2),
    /** The device does not have this operation. */
    NOT_SUPPORTED(2),
    /** No provider, device or transport of that name is on the class path; no such process, or nothing to see of it. */
    NOT_FOUND(3),
    /** This user may not do this; the system asks for more rights. */
    PERMISSION_DENIED(3),
    /** A limit of the device is reached (see {@link DeviceAttributes}), or memory is used up. */
    LIMIT_REACHED(3),
    /** The local address is taken. */
    ADDRESS_IN_USE(3),
    /** The local address is not ours, or a host name is unknown. */
    ADDRESS_NOT_AVAILABLE(3),
    /** No program listens at the peer's address. */
    CONNECTION_REFUSED(3),
    /** No route, or the host is down. */
    UNREACHABLE(3),
    /** The peer said no (an MPA Reply with R=1); {@link RdmaException#privateData} may say why. */
    REJECTED(3),
    /** No answer within the time allowed; of a connection: its peer does not answer any more (see {@link KeepAlive}). */
    TIMED_OUT(3),
    /** The peer ended the connection while it was being set up. */
    CLOSED_BY_PEER(3),
    /**
     * The peer does not speak MPA, or its start-up frames break RFC 5044 or RFC 6581; datagrams: it speaks other versions of
     * datagram-iWARP only.
     */
    PROTOCOL_MISMATCH(4),
    /** Both speak MPA, but cannot agree: read depths, ready-to-receive message, revision; datagrams: type of queue pair. */
    NO_AGREEMENT(4),
    /** The object is not in a state that allows this. */
    WRONG_STATE(1),
    /** The object was closed. */
    CLOSED(1),
    /** Other objects still need this one: close them first. */
    RESOURCE_BUSY(1),
    /** The send, receive or shared receive queue is full: take completions first, then post again. */
    QUEUE_FULL(1),
    /** An lkey names no memory region, or one of another protection domain. */
    INVALID_LKEY(1),
    /** A scatter/gather element reaches outside its memory region. */
    OUT_OF_BOUNDS(1),
    /** The memory region does not have the access flag that this needs. */
    ACCESS_DENIED(1),
    /** A completion queue overflowed: completions are lost; make it larger. */
    COMPLETION_QUEUE_OVERFLOW(1),
    /** The connection ended while something was waited for. */
    DISCONNECTED(1),
    /** The waiting thread was interrupted; its interrupt flag is set again. */
    INTERRUPTED(1),
    /** Anything that should not happen: a bug of jwarp. */
    INTERNAL(5);

    private final int exitStatus;

    RdmaErrorCode(int exitStatus) {
        this.exitStatus = exitStatus;
    }

    /** {@return the exit status of a command line tool that fails with this} */
    public int exitStatus() {
        return exitStatus;
    }
}
