package dev.jwarp.verbs;

/**
 * The kinds of {@link RdmaException}. The names are stable, so programs may branch on them. Each code has an exit
 * status for command line tools: 1 the operation failed, 2 wrong usage, 3 the set-up failed, 4 the peer is
 * incompatible, 5 a bug.
 */
public enum RdmaErrorCode {
    /** An argument is out of range or contradicts another. */
    INVALID_ARGUMENT(2),
    /** A {@code jwarp.*} setting has an invalid value. */
    INVALID_SETTING(2),
    /** The device does not have this operation. */
    NOT_SUPPORTED(2),
    /**
     * The class path has no provider, device or transport of that name; or the process does not exist or cannot be
     * observed.
     */
    NOT_FOUND(3),
    /** The operating system denies this operation to the user of the process. */
    PERMISSION_DENIED(3),
    /** A limit of the device is reached (see {@link DeviceAttributes}), or memory is exhausted. */
    LIMIT_REACHED(3),
    /** The local address is in use. */
    ADDRESS_IN_USE(3),
    /** The local address is not an address of this host, or a host name is unknown. */
    ADDRESS_NOT_AVAILABLE(3),
    /** No program listens at the peer's address. */
    CONNECTION_REFUSED(3),
    /** There is no route to the peer, or its host is down. */
    UNREACHABLE(3),
    /**
     * The peer rejected the connection (an MPA Reply with R=1); {@link RdmaException#privateData} may contain the
     * reason.
     */
    REJECTED(3),
    /**
     * No answer arrived in time. For an established connection: the peer does not answer any more (see
     * {@link KeepAlive}).
     */
    TIMED_OUT(3),
    /** The peer closed the connection during the set-up. */
    CLOSED_BY_PEER(3),
    /**
     * The peer does not speak MPA, or its start-up frames violate RFC 5044 or RFC 6581. Datagrams: the peer supports no
     * common version of datagram-iWARP.
     */
    PROTOCOL_MISMATCH(4),
    /**
     * Both peers speak MPA but cannot agree on read depths, ready-to-receive message or revision. Datagrams: on the
     * type of queue pair.
     */
    NO_AGREEMENT(4),
    /** The object is not in a state that allows this operation. */
    WRONG_STATE(1),
    /** The object was closed. */
    CLOSED(1),
    /** Other objects still use this one: close them first. */
    RESOURCE_BUSY(1),
    /** The send, receive or shared receive queue is full: poll completions, then post again. */
    QUEUE_FULL(1),
    /** An lkey belongs to no memory region, or to a region of another protection domain. */
    INVALID_LKEY(1),
    /** A scatter/gather element extends beyond its memory region. */
    OUT_OF_BOUNDS(1),
    /** The memory region lacks the required access flag. */
    ACCESS_DENIED(1),
    /** A completion queue overflowed and completions are lost: create a larger queue. */
    COMPLETION_QUEUE_OVERFLOW(1),
    /** The connection ended during a wait. */
    DISCONNECTED(1),
    /** The waiting thread was interrupted. Its interrupt flag is set. */
    INTERRUPTED(1),
    /** An internal error: a bug of jwarp. */
    INTERNAL(5);

    private final int exitStatus;

    RdmaErrorCode(int exitStatus) {
        this.exitStatus = exitStatus;
    }

    /** {@return the exit status of a command line tool that fails with this code} */
    public int exitStatus() {
        return exitStatus;
    }
}
