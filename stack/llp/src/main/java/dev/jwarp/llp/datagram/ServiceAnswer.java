package dev.jwarp.llp.datagram;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a resolver. It is public to every host that may send a request, including the Q_Key.
 *
 * @param status the result; unless found, all other values but the private data are zero
 * @param service service of the queue pair; null unless found
 * @param queuePairNumber number of the queue pair
 * @param key Q_Key of the queue pair
 * @param port port of the queue pair; 0 for the port of the resolver
 * @param maximumDatagram largest UDP payload that the queue pair accepts, in bytes
 * @param maximumMessage longest message that the queue pair accepts in bytes, at most 2^32 - 1
 * @param maximumRead longest RDMA Read that the queue pair answers in bytes, at most 2^32 - 1
 * @param privateData at most {@link #MAXIMUM_PRIVATE_DATA} bytes; owned by this value: do not change it
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
    /** Maximum size of private data in bytes. */
    public static final int MAXIMUM_PRIVATE_DATA = 216;

    /** Checks the ranges of the wire format. */
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
