package dev.jwarp.ddp.llp;

/** Why a connection did not come about or a listener could not be had. */
public enum LlpFailure {
    /** No program listens there. */
    REFUSED,
    /** No route, host unknown or down. */
    UNREACHABLE,
    /** No connection, Request or Reply within the time allowed. */
    TIMED_OUT,
    /** The peer ended the connection during start-up. */
    CLOSED_BY_PEER,
    /** The peer's start-up frame breaks RFC 5044 or 6581, or it does not speak MPA at all. */
    BAD_START_FRAME,
    /** Both sides speak, but cannot agree (read depths, ready-to-receive message, revision). */
    NO_AGREEMENT,
    /** The local address is taken. */
    ADDRESS_IN_USE,
    /** The local address is not ours, its host is not known, or it cannot reach an address of that kind. */
    ADDRESS_NOT_AVAILABLE,
    /** The system lets other users have the local address, not this one: a port below 1024, mostly. */
    PERMISSION_DENIED,
    /** A library that the transport needs is not on the class path, or is too old. */
    LIBRARY_MISSING,
    /** The local limit of connections is reached. */
    LIMIT_REACHED,
    /** Anything local: out of descriptors, closed meanwhile. */
    LOCAL
}
