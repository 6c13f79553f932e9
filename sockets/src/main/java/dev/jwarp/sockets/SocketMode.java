package dev.jwarp.sockets;

import java.util.Locale;

/** What carries a stream, or datagrams: for these, TCP stands for UDP. */
public enum SocketMode {
    /** RDMA. */
    RDMA,
    /** TCP, as without jwarp: for peers that do not speak MPA. For datagrams UDP. */
    TCP,
    /**
     * RDMA, and TCP if the peer does not speak MPA. Only who connects can try both; who listens listens with RDMA. Datagrams
     * go as RDMA, and as UDP from a second later on if none came from there.
     */
    RDMA_OR_TCP;

    /** {@return as rules have it} */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
