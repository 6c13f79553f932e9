package dev.jwarp.messaging;

import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * Where a service is.
 *
 * @param address address of the host, and the port of the service: the TCP port of connections and the UDP port of
 *     datagrams
 * @param carriers types of queue pair that the service accepts, at least one
 */
public record Place(InetSocketAddress address, Set<QueuePairType> carriers) {
    /**
     * Checks and copies.
     *
     * @param address address of the host, and the port of the service
     * @param carriers types of queue pair that the service accepts, at least one
     */
    public Place {
        RdmaException.requireArgument(address, "address");
        carriers = Set.copyOf(RdmaException.requireArgument(carriers, "carriers"));
        if (carriers.isEmpty()) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, "A service accepts at least one of RC, UD and RD.");
        }
    }
}
