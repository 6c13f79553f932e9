package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What {@link QueuePair#query} returns: the values of one moment.
 *
 * @param state in verbs' words
 * @param streamState in iWARP's words
 * @param localAddress our end of the connection, null if there is none
 * @param remoteAddress the peer's end, null if there is none
 * @param ird inbound RDMA Reads and Atomics of the peer that we hold (RFC 6581 §9.1)
 * @param ord outbound RDMA Reads and Atomics that may be outstanding
 * @param sendsOutstanding requests posted to the send queue that are not complete
 * @param receivesOutstanding receives posted that are not complete; 0 with a shared receive queue
 * @param failure what ended the stream, for a person to read; null if nothing did, or it ended in order
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
