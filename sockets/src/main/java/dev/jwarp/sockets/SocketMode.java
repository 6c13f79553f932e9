package dev.jwarp.sockets;

import java.util.Locale;

/** The transport of a stream or of datagrams. For datagrams, TCP stands for UDP. */
public enum SocketMode {
    /** RDMA. */
    RDMA,
    /** TCP, as without jwarp, for peers without MPA. For datagrams UDP. */
    TCP,
    /**
     * RDMA, or TCP if the peer does not use MPA. Only a connecting channel can try both; a listening channel uses RDMA.
     * Datagrams use RDMA, and UDP after a second without a datagram from the peer.
     */
    RDMA_OR_TCP;

    /** {@return the name in rules} */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
