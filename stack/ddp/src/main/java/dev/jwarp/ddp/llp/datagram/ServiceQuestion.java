package dev.jwarp.ddp.llp.datagram;

import java.net.InetSocketAddress;
import java.util.Set;

/**
 * A host asks for a service.
 *
 * @param source who asks
 * @param validated whether the source has proved its address, or need not
 * @param serviceId which service
 * @param wanted what would do
 * @param privateData what it says; owned by this value: do not change it
 */
public record ServiceQuestion(
        InetSocketAddress source, boolean validated, long serviceId, Set<DatagramService> wanted, byte[] privateData) {}
