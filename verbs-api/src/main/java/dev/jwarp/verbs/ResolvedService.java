package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The location of a service, as {@link Context#resolve} returns it.
 * {@link DatagramQueuePair#createAddressHandle(ResolvedService)} makes an address handle from it.
 *
 * @param type UD or RD
 * @param address address of the UDP port
 * @param queuePairNumber number of the queue pair
 * @param key Q_Key of the queue pair
 * @param maxDatagram largest UDP payload that the queue pair accepts, in bytes
 * @param maxMessage longest message that the queue pair accepts, in bytes
 * @param maxRead longest RDMA Read that the queue pair answers, in bytes
 * @param privateData private data of the service
 */
public record ResolvedService(
        QueuePairType type,
        InetSocketAddress address,
        int queuePairNumber,
        int key,
        int maxDatagram,
        long maxMessage,
        long maxRead,
        byte[] privateData) {
    /**
     * Copies the private data.
     *
     * @param type UD or RD
     * @param address address of the UDP port
     * @param queuePairNumber number of the queue pair
     * @param key Q_Key of the queue pair
     * @param maxDatagram largest UDP payload that the queue pair accepts, in bytes
     * @param maxMessage longest message that the queue pair accepts, in bytes
     * @param maxRead longest RDMA Read that the queue pair answers, in bytes
     * @param privateData private data of the service
     */
    public ResolvedService {
        privateData = privateData.clone();
    }

    /** {@return a copy of the private data} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResolvedService that
                && type == that.type
                && address.equals(that.address)
                && queuePairNumber == that.queuePairNumber
                && key == that.key
                && maxDatagram == that.maxDatagram
                && maxMessage == that.maxMessage
                && maxRead == that.maxRead
                && Arrays.equals(privateData, that.privateData);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, address, queuePairNumber, key);
    }

    @Override
    public String toString() {
        return type + " queue pair " + queuePairNumber + " at " + address;
    }
}
