package dev.jwarp.llp.datagram;

import java.net.InetSocketAddress;
import java.util.Set;

/**
 * A service resolution request.
 *
 * @param source address of the requester
 * @param validated whether the address is validated or trusted
 * @param serviceId id of the service
 * @param wanted accepted services of queue pairs
 * @param privateData private data of the requester; owned by this value: do not change it
 */
public record ServiceQuestion(
        InetSocketAddress source, boolean validated, long serviceId, Set<DatagramService> wanted, byte[] privateData) {}
