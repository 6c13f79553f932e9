package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link QueuePair#query}: a snapshot.
 *
 * @param state the state in the terms of the verbs
 * @param streamState the state in iWARP's terms
 * @param localAddress local address of the connection; null if there is none
 * @param remoteAddress address of the peer; null if there is none
 * @param ird number of inbound RDMA Reads and Atomics that the peer may have outstanding (RFC 6581 §9.1)
 * @param ord number of outbound RDMA Reads and Atomics that may be outstanding
 * @param sendsOutstanding number of incomplete requests in the send queue
 * @param receivesOutstanding number of incomplete receives; 0 with a shared receive queue
 * @param failure why the stream failed, as a sentence; null if it is open or was closed in order
 */
public record QueuePairInformation(
        QueuePairState state,
        String streamState,
        @Nullable InetSocketAddress localAddress,
        @Nullable InetSocketAddress remoteAddress,
        int ird,
        int ord,
        int sendsOutstanding,
        int receivesOutstanding,
        @Nullable String failure) {}
