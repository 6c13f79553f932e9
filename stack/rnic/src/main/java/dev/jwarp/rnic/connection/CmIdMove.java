package dev.jwarp.rnic.connection;

/** What moves a connection id along {@link CmIdTransitions}. */
enum CmIdMove {
    BIND,
    RESOLVE,
    RESOLVE_ROUTE,
    LISTEN,
    GET_REQUEST,
    CONNECT,
    /** The call threw: it can be made again. */
    CONNECT_THREW,
    ACCEPT,
    /** The call threw before the transport had the answer. */
    ACCEPT_THREW,
    /** A request is answered with no. */
    REFUSE,
    ESTABLISH,
    /** The program could not be told: it hears of the end as of one before the connection was established. */
    CONNECT_UNTOLD,
    ACCEPT_UNTOLD,
    DISCONNECT,
    /** The set-up came to nothing. */
    FAIL,
    /** The connection is over. */
    END,
    CLOSE,
    /** All that closing has to do is done. */
    FORGET
}
