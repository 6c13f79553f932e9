package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/**
 * What a peer said about a message of ours that it did not take (datagram-iWARP §9). Any host that saw the message
 * could have forged it, so it changes nothing, except the completion of an RDMA Read.
 *
 * @param peer the peer that says it
 * @param queuePairNumber of the queue pair there
 * @param messageId of our message
 * @param workRequestId the id of our request, as it was when the message was sent
 * @param control layer, type and code as in a Terminate Control (RFC 5040 §4.8): 4, 4, 8 bits
 */
public record PeerNotice(InetSocketAddress peer, int queuePairNumber, int messageId, long workRequestId, int control) {}
