package dev.jwarp.ddp.llp.datagram;

import org.jspecify.annotations.Nullable;

/**
 * What a resolver says of a service. What it hands out, the Q_Key too, is public to every host that may ask.
 *
 * @param status whether it is there; if not, all else but the private data is zero
 * @param service of its queue pair; null unless found
 * @param queuePairNumber of its queue pair
 * @param key of its queue pair
 * @param port of its queue pair; 0 for the port that was asked
 * @param maximumDatagram octets of the largest UDP payload it takes
 * @param maximumMessage octets of the longest message it takes, at most 2^32 - 1
 * @param maximumRead octets of the longest RDMA Read it serves, at most 2^32 - 1
 * @param privateData at most {@link #MAXIMUM_PRIVATE_DATA} octets; owned by this value: do not change it
 */
public record ServiceAnswer(
        ServiceStatus status,
        @Nullable DatagramService service,
        int queuePairNumber,
        int key,
        int port,
        int maximumDatagram,
        long maximumMessage,
        long maximumRead,
        byte[] privateData) {
    /** The most octets of private data. */
    public static final int MAXIMUM_PRIVATE_DATA = 216;

    /** Checks what does not fit on the wire. */
    public ServiceAnswer {
        if (privateData.length > MAXIMUM_PRIVATE_DATA) {
            throw new IllegalArgumentException("private data has at most " + MAXIMUM_PRIVATE_DATA + " bytes, not "
                    + privateData.length + ": send the rest to the service itself");
        }
        if ((status == ServiceStatus.FOUND) != (service != null)) {
            throw new IllegalArgumentException("a service that is " + status + " has " + service + " as its type");
        }
    }

    /** {@return an answer without a queue pair} */
    public static ServiceAnswer without(ServiceStatus status, byte[] privateData) {
        return new ServiceAnswer(status, null, 0, 0, 0, 0, 0, 0, privateData);
    }
}
