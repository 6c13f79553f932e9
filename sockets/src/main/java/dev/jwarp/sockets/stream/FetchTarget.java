package dev.jwarp.sockets.stream;

/** Where an RDMA Read puts what a peer offers. */
public enum FetchTarget {
    /** The memory that the program has lent to be received in. */
    LENT,
    /** The {@link DirectWire#stage}. */
    STAGE,
    /** The last memory of {@link DirectWire#spare}. */
    SPARE
}
