package dev.jwarp.sockets.connection;

/** Memory of the program that belongs to a stream for the time of a call. */
public enum Lent {
    /** Bytes are moved to it. */
    INPUT,
    /** Bytes are moved from it. */
    OUTPUT
}
