package dev.jwarp.llp;

/** Reasons why a connection or a listener could not be established. */
public enum LlpFailure {
    /** No program listens there. */
    REFUSED,
    /** There is no route, or the host is unknown or down. */
    UNREACHABLE,
    /** No connection, Request or Reply arrived in time. */
    TIMED_OUT,
    /** The peer ended the connection during start-up. */
    CLOSED_BY_PEER,
    /** The peer's start-up frame violates RFC 5044 or RFC 6581, or the peer does not speak MPA. */
    BAD_START_FRAME,
    /** Both peers speak MPA but cannot agree (read depths, ready-to-receive message, revision). */
    NO_AGREEMENT,
    /** The local address is in use. */
    ADDRESS_IN_USE,
    /**
     * The local address belongs to another host, its host name is unknown, or it cannot reach addresses of the peer's
     * kind.
     */
    ADDRESS_NOT_AVAILABLE,
    /** The user may not use the local address; usually its port is below 1024. */
    PERMISSION_DENIED,
    /** A library that the transport needs is not on the class path, or is too old. */
    LIBRARY_MISSING,
    /** The local limit of connections is reached. */
    LIMIT_REACHED,
    /** Another local failure: no descriptors, closed meanwhile. */
    LOCAL
}
