package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/**
 * A peer's report that it refused a message (datagram-iWARP §9). Any host that saw the message can forge the report, so
 * it has no effect except on the completion of an RDMA Read.
 *
 * @param peer address of the peer
 * @param queuePairNumber number of the peer's queue pair
 * @param messageId id of the refused message
 * @param workRequestId id of the work request that sent the message
 * @param control layer, type and code as in a Terminate Control (RFC 5040 §4.8): 4, 4, 8 bits
 */
public record PeerNotice(InetSocketAddress peer, int queuePairNumber, int messageId, long workRequestId, int control) {}
